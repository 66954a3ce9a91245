CC ?= gcc
test:
