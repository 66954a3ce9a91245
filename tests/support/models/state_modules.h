/* tests/support/models/state_modules.h: every module with parameters or buffers: PyTorch's constructor, ours, and the
 * inputs of a call (as in tests/support/support.h). tests/golden/record_state.py and tests/interop/state.py evaluate
 * the strings of this file. */
#ifndef TAPEGRAD_TESTS_SUPPORT_MODELS_STATE_MODULES_H
#define TAPEGRAD_TESTS_SUPPORT_MODELS_STATE_MODULES_H

#define STATE_MODULES(X)                                                                                             \
    X("nn.Linear(3, 2)", nn_Linear(3, 2), "R(4,3)")                                                                  \
    X("nn.Linear(3, 2, bias=False)", nn_Linear(3, 2, .bias = false), "R(2,4,3)")                                     \
    X("nn.Bilinear(3, 2, 4)", nn_Bilinear(3, 2, 4), "R(5,3) R(5,2)")                                                 \
    X("nn.Bilinear(3, 2, 4, bias=False)", nn_Bilinear(3, 2, 4, .bias = false), "R(5,3) R(5,2)")                      \
    X("nn.Embedding(7, 3)", nn_Embedding(7, 3), "k7(2,5)")                                                           \
    X("nn.Embedding(7, 3, padding_idx=2)", nn_Embedding(7, 3, .padding_idx = 2), "k7(2,5)")                          \
    X("nn.LayerNorm(6)", nn_LayerNorm(6), "R(3,6)")                                                                  \
    X("nn.LayerNorm(6, bias=False)", nn_LayerNorm(6, .bias = false), "R(3,6)")                                       \
    X("nn.LayerNorm(6, elementwise_affine=False)", nn_LayerNorm(6, .elementwise_affine = false), "R(3,6)")           \
    X("nn.RMSNorm(6)", nn_RMSNorm(6), "R(3,6)")                                                                      \
    X("nn.GroupNorm(2, 6)", nn_GroupNorm(2, 6), "R(3,6,4)")                                                          \
    X("nn.BatchNorm1d(5)", nn_BatchNorm1d(5), "R(4,5)")                                                              \
    X("nn.BatchNorm1d(5, momentum=None, bias=False)", nn_BatchNorm1d(5, .momentum = NAN, .bias = false), "R(4,5,3)") \
    X("nn.BatchNorm2d(5, affine=False)", nn_BatchNorm2d(5, .affine = false), "R(4,5,3,2)")                           \
    X("nn.BatchNorm2d(5, track_running_stats=False)", nn_BatchNorm2d(5, .track_running_stats = false), "R(4,5,3,2)") \
    X("nn.BatchNorm2d(5)", nn_BatchNorm2d(5), "R(4,5,3,2)")                                                          \
    X("nn.InstanceNorm1d(5)", nn_InstanceNorm1d(5), "R(4,5,3)")                                                      \
    X("nn.InstanceNorm1d(5, affine=True)", nn_InstanceNorm1d(5, .affine = true), "R(4,5,3)")                         \
    X("nn.InstanceNorm2d(5, affine=True, track_running_stats=True)",                                                 \
      nn_InstanceNorm2d(5, .affine = true, .track_running_stats = true), "R(4,5,3,2)")                               \
    X("nn.Conv1d(4, 6, 3)", nn_Conv1d(4, 6, 3), "R(2,4,7)")                                                          \
    X("nn.Conv2d(4, 6, 3, groups=2)", nn_Conv2d(4, 6, 3, .groups = 2), "R(2,4,7,5)")                                 \
    X("nn.Conv2d(4, 6, (3, 2), bias=False)", nn_Conv2d(4, 6, .kernel_size = {3, 2}, .bias = false), "R(2,4,7,5)")    \
    X("nn.ConvTranspose1d(4, 6, 3)", nn_ConvTranspose1d(4, 6, 3), "R(2,4,7)")                                        \
    X("nn.ConvTranspose2d(4, 6, 3, groups=2)", nn_ConvTranspose2d(4, 6, 3, .groups = 2), "R(2,4,7,5)")               \
    X("nn.RNN(4, 5)", nn_RNN(4, 5), "R(6,3,4)")                                                                      \
    X("nn.RNN(4, 5, 2, 'relu', bidirectional=True)", nn_RNN(4, 5, 2, "relu", .bidirectional = true), "R(6,3,4)")     \
    X("nn.LSTM(4, 5)", nn_LSTM(4, 5), "R(6,3,4)")                                                                    \
    X("nn.LSTM(4, 5, 2, bidirectional=True, proj_size=3)", nn_LSTM(4, 5, 2, .bidirectional = true, .proj_size = 3),  \
      "R(6,3,4)")                                                                                                    \
    X("nn.GRU(4, 5)", nn_GRU(4, 5), "R(6,3,4)")                                                                      \
    X("nn.GRU(4, 5, 3, bias=False, batch_first=True)", nn_GRU(4, 5, 3, .bias = false, .batch_first = true),          \
      "R(6,3,4)")                                                                                                    \
    X("nn.RNNCell(4, 5)", nn_RNNCell(4, 5), "R(3,4)")                                                                \
    X("nn.LSTMCell(4, 5)", nn_LSTMCell(4, 5), "R(3,4)")                                                              \
    X("nn.GRUCell(4, 5, bias=False)", nn_GRUCell(4, 5, .bias = false), "R(3,4)")                                     \
    X("nn.PReLU()", nn_PReLU(), "R(3,4)")                                                                            \
    X("nn.PReLU(4, init=0.5)", nn_PReLU(4, .init = 0.5), "R(3,4)")                                                   \
    X("nn.CrossEntropyLoss(weight=torch.ones(3))", nn_CrossEntropyLoss(.weight = t_ones(3)), "R(4,3) k3(4)")         \
    X("nn.NLLLoss(weight=torch.ones(3))", nn_NLLLoss(t_ones(3)), "R(4,3) k3(4)")                                     \
    X("nn.BCELoss(weight=torch.ones(3))", nn_BCELoss(t_ones(3)), "Q(4,3) Q(4,3)")                                    \
    X("nn.BCEWithLogitsLoss(pos_weight=torch.ones(3))", nn_BCEWithLogitsLoss(.pos_weight = t_ones(3)),               \
      "R(4,3) Q(4,3)")                                                                                               \
    X("nn.MultiheadAttention(8, 2)", nn_MultiheadAttention(8, 2), "R(5,3,8) R(6,3,8) R(6,3,8)")                      \
    X("nn.MultiheadAttention(8, 2, kdim=6, vdim=4, batch_first=True)",                                               \
      nn_MultiheadAttention(8, 2, .kdim = 6, .vdim = 4, .batch_first = true), "R(3,5,8) R(3,4,6) R(3,4,4)")          \
    X("nn.MultiheadAttention(8, 2, bias=False, add_bias_kv=True)",                                                   \
      nn_MultiheadAttention(8, 2, .bias = false, .add_bias_kv = true), "R(5,3,8) R(6,3,8) R(6,3,8)")                 \
    X("nn.TransformerEncoderLayer(8, 2, 16)", nn_TransformerEncoderLayer(8, 2, 16), "R(5,3,8)")                      \
    X("nn.TransformerEncoderLayer(8, 2, 16, norm_first=True, bias=False, activation='gelu')",                        \
      nn_TransformerEncoderLayer(8, 2, 16, .norm_first = true, .bias = false, .activation = "gelu"), "R(5,3,8)")     \
    X("nn.TransformerDecoderLayer(8, 2, 16)", nn_TransformerDecoderLayer(8, 2, 16), "R(5,3,8) R(6,3,8)")             \
    X("nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2, nn.LayerNorm(8))",                             \
      nn_TransformerEncoder(nn_TransformerEncoderLayer(8, 2, 16), 2, .norm = nn_LayerNorm(8)), "R(5,3,8)")           \
    X("nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2)",                                              \
      nn_TransformerDecoder(nn_TransformerDecoderLayer(8, 2, 16), 2), "R(5,3,8) R(6,3,8)")                           \
    X("nn.Transformer(8, 2, 2, 2, 16)", nn_Transformer(8, 2, 2, 2, 16), "R(5,3,8) R(6,3,8)")                         \
    X("nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.BatchNorm1d(4), nn.Sequential(nn.Linear(4, 2), nn.PReLU()))",    \
      nn_Sequential(nn_Linear(3, 4), nn_ReLU(), nn_BatchNorm1d(4), nn_Sequential(nn_Linear(4, 2), nn_PReLU())),      \
      "R(5,3)")

#endif
