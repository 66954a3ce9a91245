"""examples/pytorch/text/names.h in Python."""

category_lines = {
    "Finnish": "Aino Eero Eino Helmi Ilmari Jaakko Kaarina Lauri Maija Onni Paavo Pirkko Seppo Tuomas Veikko Urho",
    "Italian": "Alessandro Beatrice Carlo Chiara Domenico Enzo Francesca Giovanni Giulia Lorenzo Luca Matteo Paola "
    "Raffaele Silvia Vittoria",
    "Japanese": "Akira Ayumi Daichi Emiko Haruto Hiroshi Kazuki Kenji Mayumi Naoki Reiko Satoshi Takashi Tomoko "
    "Yoshiko Yuki",
    "Polish": "Agnieszka Andrzej Bartosz Czeslaw Ewa Grzegorz Jadwiga Krzysztof Lech Malgorzata Piotr Ryszard "
    "Stanislaw Wojciech Zbigniew Zofia",
}
category_lines = {category: lines.split() for category, lines in category_lines.items()}
all_categories = list(category_lines)
n_categories = len(all_categories)
