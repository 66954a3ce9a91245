/* examples/pytorch/text/names.h: the words of char_rnn_classification and char_rnn_generation: first names from four
 * languages. */
#ifndef EXAMPLES_PYTORCH_TEXT_NAMES_H
#define EXAMPLES_PYTORCH_TEXT_NAMES_H

enum { N_CATEGORIES = 4, N_LINES = 16 };

static const char *const all_categories[N_CATEGORIES] = {"Finnish", "Italian", "Japanese", "Polish"};
static const char *const category_lines[N_CATEGORIES][N_LINES] = {
    {"Aino", "Eero", "Eino", "Helmi", "Ilmari", "Jaakko", "Kaarina", "Lauri", "Maija", "Onni", "Paavo", "Pirkko",
     "Seppo", "Tuomas", "Veikko", "Urho"},
    {"Alessandro", "Beatrice", "Carlo", "Chiara", "Domenico", "Enzo", "Francesca", "Giovanni", "Giulia", "Lorenzo",
     "Luca", "Matteo", "Paola", "Raffaele", "Silvia", "Vittoria"},
    {"Akira", "Ayumi", "Daichi", "Emiko", "Haruto", "Hiroshi", "Kazuki", "Kenji", "Mayumi", "Naoki", "Reiko", "Satoshi",
     "Takashi", "Tomoko", "Yoshiko", "Yuki"},
    {"Agnieszka", "Andrzej", "Bartosz", "Czeslaw", "Ewa", "Grzegorz", "Jadwiga", "Krzysztof", "Lech", "Malgorzata",
     "Piotr", "Ryszard", "Stanislaw", "Wojciech", "Zbigniew", "Zofia"},
};

#endif
