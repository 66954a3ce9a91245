"""examples/pytorch/makemore/names.h in Python."""

import torch

words = """
    aaron abel ada adam adela adrian agata agnes aida akira alan alba albert aldo alec alejandra alena alessia
    alex alfred alice alina alma alois alva amanda amelie amir amos ana anders andrea andrei angela anita anja
    anna annika anselm anton antonia april arian ariel arlo arthur astrid aurora axel barbara bart basil beata
    beatrice bela bella benedict benjamin benno berit bernard bertha bianca birgit boris brenda brian bridget
    bruno camilla carl carla carlo carmen caroline casper cecilia celia cesar chiara chloe christian clara claude
    clemens colin conrad cora corinna cyril dagmar daniel daniela daria david deborah delia denis diana diego
    dieter dina dominik dora dorian dorothy dylan edgar edith edmund edward eileen elena eleni elias elif elin
    elisa elise ella ellen elmar elsa elvira emil emilia emily emma enrico erik erika ernest erwin esther etta
    eugene eva evan evelyn fabian fatima felix ferdinand fiona flora florian frances frank franziska frida frieda
    gabriel gemma george gerald gerda gianna gideon gilbert giles gina gloria gordon grace greta gregor gudrun
    guido gustav hanna hannes harald harold harriet harry hazel hector heidi helen helena helga henri henry
    herbert hilda holly hugo ian ida ignaz igor ilse imke ina ines inga ingrid irene iris irma isa isaac isabel
    ivan ivo jack jacob jakob jana janet janos jasmin jasper jean jenny jens jeremy jesper joan joel johan johanna
    john jonas jonathan jordan josef judith jules julia julian juliet june juri jutta kai kamil karen karin karl
    karla kaspar kate katja kenji kevin kilian kim kira klara klaus konstantin kurt lara lars laura laurin lea
    leah leander lena leo leon leona leonard leopold levi lewis lidia liliana lina linda linus lisa livia lorena
    lorenz lotte louis louisa luca lucas lucia luis luisa lukas lydia madeline magda magnus maja malte manuel mara
    marc marcel marco margaret maria marian marie marina mario marius marlene marta martin mary mathilda matteo
    matthew maurice max maya melissa mercy merle michael michelle mika mila milan miles milo mina mira miriam mona
    monica moritz muriel nadia nadine naomi natalie nathan nela nelson nia nicholas nico nicole nils nina noah
    noel nora norbert norman odette olaf olga oliver olivia omar ophelia oscar oskar otis otto pablo pamela
    patricia patrick paul paula pauline pedro penelope percy peter petra philip phoebe pia pierre quentin quinn
    rachel rafael ralf ramona raoul raymond rebecca regina reinhard remo renata renee ricarda richard rita robert
    robin rocco roland roman ronja rosa rosalind rose rosina rowan ruben rudolf rufus rupert ruth sabine sally
    samira samuel sandra sarah sasha saskia sebastian selma serena sergio sibyl sidney sigrid silas silvia simon
    simone sofia sonja sophie stefan stella sten susan sven svenja sylvie tamara tanja tara teresa tessa thea theo
    theodor theresa thomas tilda till tilman timo tobias tom tomas toni tristan ulla ulrich ulrike una ursula uta
    valentin valeria vanessa vera verena vernon vico victor victoria vincent viola violet vivian volker walter
    wanda wenzel wilhelm willa william willow winona wolfgang xaver xenia yann yara yasmin yolanda yuki yusuf
    yvonne zara zelda zeno zita zoe zora
""".split()
itos = ".abcdefghijklmnopqrstuvwxyz"
stoi = {ch: i for i, ch in enumerate(itos)}
vocab_size = len(itos)


def build_dataset(words, block_size):
    X, Y = [], []
    for w in words:
        context = [0] * block_size
        for ch in w + ".":
            ix = stoi[ch]
            X.append(context)
            Y.append(ix)
            context = context[1:] + [ix]
    return torch.tensor(X), torch.tensor(Y)
