"""Writes a small GPT-2 of transformers into tests/golden/files/bpe, whose vocabulary it has (config.json,
model.safetensors), and what it computes (expected.safetensors): logits of a prompt, and its greedy continuation.

    python tests/golden/gpt2_model.py     from the root of the tree; needs torch, transformers and tokenizers"""

import os
import shutil
import tempfile

import tokenizers
import torch
from safetensors.torch import save_file
from transformers import GPT2Config, GPT2LMHeadModel

FOLDER = "tests/golden/files/bpe/"
torch.manual_seed(0)
config = GPT2Config(vocab_size=500, n_positions=64, n_embd=32, n_layer=2, n_head=4, initializer_range=0.15,
                    bos_token_id=0, eos_token_id=0, pad_token_id=0)  # fmt: skip
model = GPT2LMHeadModel(config).eval()
with torch.no_grad():
    for name, p in model.named_parameters():
        if name.endswith("bias"):
            p.normal_(0, 0.1)
with tempfile.TemporaryDirectory() as folder:
    model.save_pretrained(folder)
    for name in "config.json", "model.safetensors":
        shutil.copyfile(os.path.join(folder, name), FOLDER + name)
tokenizer = tokenizers.ByteLevelBPETokenizer(FOLDER + "vocab.json", FOLDER + "merges.txt")
ids = torch.tensor([tokenizer.encode("the people of the world can see").ids])
with torch.no_grad():
    logits = model(ids).logits[0]
    greedy = model.generate(ids, do_sample=False, max_new_tokens=24)[0]
save_file({"ids": ids[0], "logits": logits, "greedy": greedy}, FOLDER + "expected.safetensors")
print(repr(tokenizer.decode(greedy.tolist())))
