/* examples/attention_page/pictures.c: the page's chapter 4: attention weights as a heat map. */
#include "attention_page.h"

void savefig(const char *name, double dpi, const char *bbox_inches) {
    if (example.plots) plt_savefig(plot_path(example.plots, name), .dpi = dpi, .bbox_inches = bbox_inches);
    plt_show();
}

void visualize_attention(Tensor *attention_weights, const char *const *tokens) {
    Tensor *weights = t_detach(t_at(attention_weights, "0, 0")); /* (S, S) */
    plt_figure(.figsize = {10, 8});
    sns_heatmap(weights, .cmap = "Blues", .annot = true, .fmt = ".2f");
    if (tokens) {
        /* A cell reaches from i to i + 1. The page puts the words at 0, 1, 2, ..., which are the cells' borders;
         * --fixed puts them at their centres. */
        Tensor *at = fixed ? t_add(t_arange(t_size(weights, 0)), 0.5) : t_arange(t_size(weights, 0));
        plt_xticks(at, tokens, .rotation = 45);
        plt_yticks(at, tokens, .rotation = 0);
    }
    plt_xlabel("Key");
    plt_ylabel("Query");
    plt_title("Self-Attention Weights");
    plt_tight_layout();
    savefig("attention_visualization.svg", 100, "tight");
    plt_close();
}

Tensor *demo_5(void) {
    const char *tokens[] = {"The", "cat", "sat", "on", "the", "mat"};
    int64_t seq_len = sizeof tokens / sizeof *tokens;
    /* (the page also sets a d_model = 64 here and does not use it) */
    /* no model's: random numbers through softmax; model_attention.c draws those of the encoder */
    Tensor *attention = F_softmax(t_randn(1, 8, seq_len, seq_len), -1);
    visualize_attention(attention, tokens);
    return attention;
}
