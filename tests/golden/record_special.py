"""Writes tests/golden/special.txt: values of Bessel functions and others to 17 digits, computed with 40 digits.

    python tests/golden/record_special.py      from the root of the tree; needs mpmath (which torch installs)

A line is a function of torch.special, x and the value. PyTorch's own values are less accurate for some functions."""

import os

import mpmath

mpmath.mp.dps = 40
SQRT2 = mpmath.sqrt(2)
ANY = [-120.5, -40.25, -12.375, -10.0, -9.875, -5.5, -2.5, -1.0, -0.25]
ANY += [1e-6, 0.25, 1.0, 1.125, 2.5, 6.0, 10.5, 40.25, 300.0]
POSITIVE = [1e-300, 1e-6, 0.01, 0.25, 1.0, 1.9375, 2.0, 2.0625, 5.5, 8.0, 25.5, 29.875, 30.125, 100.25, 600.0]
LARGE = [1e10, 1e18, 1e300]
FUNCTIONS = {
    "airy_ai": (mpmath.airyai, [x for x in ANY if x < 100] + [60.0, 120.0, 1e300]),
    "bessel_j0": (lambda x: mpmath.besselj(0, x), ANY),
    "bessel_j1": (lambda x: mpmath.besselj(1, x), ANY),
    "bessel_y0": (lambda x: mpmath.bessely(0, x), POSITIVE),
    "bessel_y1": (lambda x: mpmath.bessely(1, x), POSITIVE),
    "modified_bessel_i0": (lambda x: mpmath.besseli(0, x), ANY),
    "modified_bessel_i1": (lambda x: mpmath.besseli(1, x), ANY),
    "i0e": (lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)), ANY + POSITIVE + LARGE),
    "i1e": (lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), ANY + POSITIVE + LARGE),
    "modified_bessel_k0": (lambda x: mpmath.besselk(0, x), POSITIVE),
    "modified_bessel_k1": (lambda x: mpmath.besselk(1, x), POSITIVE),
    "scaled_modified_bessel_k0": (lambda x: mpmath.besselk(0, x) * mpmath.exp(x), POSITIVE + LARGE),
    "scaled_modified_bessel_k1": (lambda x: mpmath.besselk(1, x) * mpmath.exp(x), POSITIVE + LARGE),
    "spherical_bessel_j0": (lambda x: mpmath.sin(x) / x, ANY),
    "erfcx": (lambda x: mpmath.exp(x * x) * mpmath.erfc(x), [x for x in ANY + POSITIVE if x > -26]),
    "ndtr": (lambda x: mpmath.erfc(-x / SQRT2) / 2, [x for x in ANY if x > -38]),
    "log_ndtr": (lambda x: mpmath.log(mpmath.erfc(-x / SQRT2) / 2), ANY),
    "ndtri": (
        lambda p: -SQRT2 * mpmath.erfinv(1 - 2 * p) if p > 1e-3 else mpmath.findroot(
            lambda x: mpmath.log(mpmath.erfc(-x / SQRT2) / 2) - mpmath.log(p), -mpmath.sqrt(-2 * mpmath.log(p))
        ),
        [1e-300, 1e-100, 1e-16, 1e-6, 0.01, 0.25, 0.4375, 0.5625, 0.75, 0.984375],
    ),
}  # fmt: skip


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "special.txt"), "w") as file:
        count = 0
        for name, (f, points) in FUNCTIONS.items():
            for x in points:
                value = f(mpmath.mpf(x))
                if abs(value) < 1e308:
                    file.write(f"{name} {x!r} {mpmath.nstr(mpmath.re(value), 17) if abs(value) > 1e-305 else 0.0}\n")
                    count += 1
    print(f"special.txt: {count} values")


if __name__ == "__main__":
    main()
