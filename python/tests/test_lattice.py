"""The matrices of ML-KEM and ML-DSA (FIPS 203 and 204), beside implementations in Python.

Each polynomial is the output of SHAKE128 for a seed and the polynomial's place, without the
candidates that are too large: what `xof_many` is often for.
"""

import os

import pytest

import hashlanes

ml_kem = pytest.importorskip("kyber_py.ml_kem")
ml_dsa = pytest.importorskip("dilithium_py.ml_dsa")

# Enough for any seed, but for a chance of less than 2^-100.
OUTPUT = 1200


def two_of_twelve_bits(a, b, c):
    return [x for x in (a + 256 * (b % 16), b // 16 + 16 * c) if x < 3329]


def one_of_23_bits(a, b, c):
    return [x for x in [a + 256 * b + 65536 * (c % 128)] if x < 8380417]


def expand(seeds, rows, columns, candidates):
    """For each seed the matrix, a list of rows of polynomials. All of them share lanes."""
    places = [bytes([column, row]) for row in range(rows) for column in range(columns)]
    outputs = hashlanes.xof_many(
        [seed + place for seed in seeds for place in places], "shake128", OUTPUT)
    polynomials = [
        [x for i in range(0, OUTPUT, 3) for x in candidates(*output[i:i + 3])][:256]
        for output in outputs]
    assert all(len(polynomial) == 256 for polynomial in polynomials)
    as_rows = [polynomials[i:i + columns] for i in range(0, len(polynomials), columns)]
    return [as_rows[i:i + rows] for i in range(0, len(as_rows), rows)]


# Others in each run. A failure prints the seed.
SEEDS = [bytes(32), *(os.urandom(32) for _ in range(4))]


def coefficients(matrix):
    return [[polynomial.coeffs for polynomial in row] for row in matrix._data]


@pytest.mark.parametrize("name, k", [("512", 2), ("768", 3), ("1024", 4)])
def test_matrices_of_ml_kem(name, k):
    theirs = getattr(ml_kem, f"ML_KEM_{name}")
    for seed, ours in zip(SEEDS, expand(SEEDS, k, k, two_of_twelve_bits)):
        assert ours == coefficients(theirs._generate_matrix_from_seed(seed)), seed.hex()


@pytest.mark.parametrize("name, rows, columns", [("44", 4, 4), ("65", 6, 5), ("87", 8, 7)])
def test_matrices_of_ml_dsa(name, rows, columns):
    theirs = getattr(ml_dsa, f"ML_DSA_{name}")
    for seed, ours in zip(SEEDS, expand(SEEDS, rows, columns, one_of_23_bits)):
        assert ours == coefficients(theirs._expand_matrix_from_seed(seed)), seed.hex()
