"""The Python side of examples/pytorch/text/bilstm_crf.c: making dynamic decisions and the BiLSTM-CRF."""

import torch
import torch.nn as nn
import torch.optim as optim

from vocabulary import prepare_sequence, vocabulary_add

START_TAG = 3
STOP_TAG = 4
TAGS = 5
EMBEDDING_DIM = 5
HIDDEN_DIM = 4

tag_to_ix = {"B": 0, "I": 1, "O": 2, "<START>": START_TAG, "<STOP>": STOP_TAG}
training_data = [
    ("the new york office of acme steel opened a second plant".split(), "O B I O O B I O O O O".split()),
    ("old mill paper sells most of its paper in south africa".split(), "B I I O O O O O O B I".split()),
]
N_SENTENCES = len(training_data)


def argmax(vec):
    return vec.argmax(1).item()


def log_sum_exp(vec):
    max_score = vec[0, argmax(vec)]
    max_score_broadcast = max_score.view(1, -1).expand(1, vec.size(1))
    return max_score + torch.log(torch.sum(torch.exp(vec - max_score_broadcast)))


class BiLSTMCRF(nn.Module):
    def __init__(self, vocab_size, embedding_dim, hidden_dim):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.word_embeds = nn.Embedding(vocab_size, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim // 2, num_layers=1, bidirectional=True)

        self.hidden2tag = nn.Linear(hidden_dim, TAGS)

        self.transitions = nn.Parameter(torch.randn(TAGS, TAGS))

        self.transitions.data[START_TAG, :] = -10000
        self.transitions.data[:, STOP_TAG] = -10000

    def forward_alg(self, feats):
        init_alphas = torch.full((1, TAGS), -10000.0)
        init_alphas[0, START_TAG] = 0.0

        forward_var = init_alphas

        for i in range(feats.size(0)):
            alphas_t = []
            for next_tag in range(TAGS):
                emit_score = feats[i, next_tag].view(1, -1).expand(1, TAGS)
                trans_score = self.transitions[next_tag].view(1, -1)
                next_tag_var = forward_var + trans_score + emit_score
                alphas_t.append(log_sum_exp(next_tag_var).view(1))
            forward_var = torch.cat(alphas_t).view(1, -1)
        terminal_var = forward_var + self.transitions[STOP_TAG]
        alpha = log_sum_exp(terminal_var)
        return alpha

    def get_lstm_features(self, sentence):
        h = torch.randn(2, 1, self.hidden_dim // 2)
        c = torch.randn(2, 1, self.hidden_dim // 2)
        embeds = self.word_embeds(sentence).view(sentence.size(0), 1, -1)
        lstm_out, _ = self.lstm(embeds, (h, c))
        lstm_out = lstm_out.view(sentence.size(0), self.hidden_dim)
        lstm_feats = self.hidden2tag(lstm_out)
        return lstm_feats

    def score_sentence(self, feats, tags):
        score = torch.zeros(1)
        tags = torch.cat([torch.tensor([START_TAG]), tags])
        for i in range(feats.size(0)):
            score = score + self.transitions[tags[i + 1], tags[i]] + feats[i, tags[i + 1]]
        score = score + self.transitions[STOP_TAG, tags[-1]]
        return score

    def viterbi_decode(self, feats):
        backpointers = torch.zeros(feats.size(0), TAGS, dtype=torch.long)

        init_vvars = torch.full((1, TAGS), -10000.0)
        init_vvars[0, START_TAG] = 0

        forward_var = init_vvars
        for i in range(feats.size(0)):
            viterbivars_t = []
            for next_tag in range(TAGS):
                next_tag_var = forward_var + self.transitions[next_tag]
                best_tag_id = argmax(next_tag_var)
                backpointers[i, next_tag] = best_tag_id
                viterbivars_t.append(next_tag_var[0, best_tag_id].view(1))
            forward_var = (torch.cat(viterbivars_t) + feats[i]).view(1, -1)

        terminal_var = forward_var + self.transitions[STOP_TAG]
        best_tag_id = argmax(terminal_var)
        path_score = terminal_var[0, best_tag_id]

        best_path = torch.zeros(feats.size(0), dtype=torch.long)
        for i in range(feats.size(0) - 1, -1, -1):
            best_path[i] = best_tag_id
            best_tag_id = backpointers[i, best_tag_id].item()
        assert best_tag_id == START_TAG
        return best_path, path_score

    def neg_log_likelihood(self, sentence, tags):
        feats = self.get_lstm_features(sentence)
        forward_score = self.forward_alg(feats)
        gold_score = self.score_sentence(feats, tags)
        return forward_score - gold_score

    def forward(self, sentence):
        lstm_feats = self.get_lstm_features(sentence)

        tag_seq, score = self.viterbi_decode(lstm_feats)
        return tag_seq, score


def train():
    word_to_ix = {}
    for i in range(N_SENTENCES):
        sentence, tags = training_data[i]
        for word in sentence:
            vocabulary_add(word_to_ix, word)

    model = BiLSTMCRF(len(word_to_ix), EMBEDDING_DIM, HIDDEN_DIM)
    optimizer = optim.SGD(model.parameters(), lr=0.01, weight_decay=1e-4)

    with torch.no_grad():
        precheck_sent = prepare_sequence(training_data[0][0], word_to_ix)
        precheck_tags = prepare_sequence(training_data[0][1], tag_to_ix)
        print(precheck_tags)
        tag_seq, score = model(precheck_sent)
        print(score, tag_seq)

    for epoch in range(300):
        total_loss = 0
        for i in range(N_SENTENCES):
            sentence, tags = training_data[i]
            model.zero_grad()

            sentence_in = prepare_sequence(sentence, word_to_ix)
            targets = prepare_sequence(tags, tag_to_ix)

            loss = model.neg_log_likelihood(sentence_in, targets)

            loss.backward()
            optimizer.step()
            total_loss += loss.item()
        if epoch % 50 == 49:
            print(f"epoch {epoch + 1}: {total_loss:.4f}")

    with torch.no_grad():
        precheck_sent = prepare_sequence(training_data[0][0], word_to_ix)
        tag_seq, score = model(precheck_sent)
        print(score, tag_seq)


def main():
    torch.manual_seed(1)
    train()
