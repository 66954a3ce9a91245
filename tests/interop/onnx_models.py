"""Models that tapegrad exports, checked by onnx.checker (full_check) and run by onnxruntime: the outputs are
tapegrad's, with the sizes of the export and others of the dynamic axis.

    make interop     or, from the root,     python tests/interop/onnx_models.py build/tests/interop_onnx [MODEL ...]
    ... build/tests/interop_onnx --record    also writes tests/golden/onnx.txt, for tests/nn/onnx/test_onnx.c

Needs onnx, onnxruntime, numpy and safetensors. With names, these image models of full size alone."""

import glob
import os
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from safetensors.numpy import load_file

MODELS = "resnet18 resnet50 alexnet vgg11_bn vit_b_32 mobilenet_v2".split()
RTOL, ATOL = 1e-4, 1e-5


def check(path):
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    arrays = load_file(path[: -len(".onnx")] + ".safetensors")
    for run in sorted({name.split(".")[0] for name in arrays}):
        inputs = {i.name: arrays[f"{run}.{i.name}"] for i in session.get_inputs()}
        (got,), want = session.run(None, inputs), arrays[f"{run}.output"]
        if got.shape != want.shape or got.dtype != want.dtype:
            return f"run {run}: {got.dtype}{got.shape}, not {want.dtype}{want.shape}"
        scale = max(1.0, abs(want).max()) if want.size else 1
        if not numpy.allclose(got, want, rtol=RTOL, atol=ATOL * scale, equal_nan=True):
            return f"run {run}: the outputs differ by {abs(got - want).max():.2g}"
    return None


def main():
    program, names = sys.argv[1], [name for name in sys.argv[2:] if name != "--record"]
    failures, count, hashes = 0, 0, ""
    with tempfile.TemporaryDirectory() as folder:
        if not names:
            run = subprocess.run([program, folder], stdout=subprocess.PIPE, text=True)
            failures, hashes = int(run.returncode != 0), run.stdout
        for name in names if names or "--record" in sys.argv else MODELS:
            subprocess.run([program, folder, name], check=True, stdout=subprocess.DEVNULL)
        for path in sorted(glob.glob(os.path.join(folder, "*.onnx"))):
            count += 1
            try:
                wrong = check(path)
            except Exception as error:  # the checker's or the runtime's
                wrong = str(error)[:300]
            if wrong:
                print(f"{os.path.basename(path)}: {wrong}")
                failures += 1
    print(f"interop: {count} exported models are checked and run by onnxruntime, {failures} fail")
    if "--record" in sys.argv and not failures:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "onnx.txt"), "w") as file:
            file.write(hashes)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
