"""The operation counts that the papers print, table by table, as polynomials in the number of joints."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Polynomial:
    """Coefficients of n^0, n^1, ..."""

    coefficients: tuple[Fraction, ...]

    def __call__(self, n: int) -> Fraction:
        return sum((c * n**k for k, c in enumerate(self.coefficients)), Fraction(0))

    def plus(self, constant: int) -> Polynomial:
        """With a constant added."""
        first, *others = self.coefficients
        return Polynomial((first + constant, *others))

    def __str__(self) -> str:
        powers = ("", "n", "n^2", "n^3", "n^4")
        terms = []
        for k in reversed(range(len(self.coefficients))):
            c = self.coefficients[k]
            if c:
                size = f"{abs(c)}" if abs(c) != 1 or not k else ""
                separator = " " if size and "/" in size and k else ""
                terms.append(("- " if c < 0 else "+ ") + size + separator + powers[k])
        text = " ".join(terms) or "+ 0"
        return text[2:] if text.startswith("+") else "-" + text[2:]


def poly(text: str) -> Polynomial:
    """Coefficients from the highest power down: poly("27/2 165/2 5 0") is 27/2 n^3 + 165/2 n^2 + 5n."""
    return Polynomial(tuple(Fraction(word) for word in reversed(text.split())))


@dataclass(frozen=True)
class PrintedTable:
    """A table of a paper: rows (term, multiplications, additions) and its printed total."""

    name: str
    subject: str
    rows: tuple[tuple[str, Polynomial, Polynomial], ...]
    multiplications: Polynomial
    additions: Polynomial
    slips: str


def _table(
    name: str, subject: str, rows: list[tuple[str, str, str]], total: tuple[str, str], slips: str
) -> PrintedTable:
    parsed = tuple((term, poly(m), poly(a)) for term, m, a in rows)
    return PrintedTable(name, subject, parsed, poly(total[0]), poly(total[1]), slips)


TURNEY_2 = _table(
    "Turney 2",
    "Lagrange",
    [
        ("T_j^i", "32 -32 0", "24 -24 0"),
        ("dT/dq", "32 -32 0", "24 -24 0"),
        ("d2T/dq2", "32/3 0 -32/3 0", "8 0 -8 0"),
        ("{sum qdd, qd qd} J", "17/6 17/2 209/3 0", "16/3 0 80/3 0"),
        ("Tr{ }", "8 8 0", "8 7 0"),
        ("gravity", "2 2 0", "2 1 0"),
    ],
    ("27/2 165/2 5 0", "40/3 58 -64/3 0"),
    "Row 4 is mis-summed: the 16 q products with qdd are lost and the products qd_j qd_k are counted "
    "again for every link.",
)
TURNEY_3 = _table(
    "Turney 3",
    "Newton-Euler",
    [
        ("w", "9 0", "7 0"),
        ("al", "9 0", "9 0"),
        ("A", "6 0", "9 0"),
        ("a", "18 0", "15 0"),
        ("abar", "9 0", "9 0"),
        ("f", "12 -12", "9 -9"),
        ("I al", "9 0", "6 0"),
        ("w x I w", "15 0", "9 0"),
        ("m s x abar", "6 0", "3 0"),
        ("r x R f", "6 0", "3 0"),
        ("R n", "9 0", "6 0"),
        ("add n", "0", "15 0"),
    ],
    ("108 -12", "100 -9"),
    "al is short of 2 multiplications, the tau row and m_n a_n are omitted, and 'add n' is 12n-6. The "
    "last joint has no f and n beyond it, so the rows r x R f and R n are (n-1) times.",
)
TURNEY_4 = _table(
    "Turney 4",
    "modified Newton-Euler",
    [
        ("w", "9 0", "7 0"),
        ("al", "9 0", "9 0"),
        ("A", "6 0", "9 0"),
        ("a", "18 -18", "15 -15"),
        ("m abar", "12 0", "9 0"),
        ("f", "9 -9", "9 -9"),
        ("Tr{A K}", "6 0", "3 0"),
        ("m s x abar", "6 0", "3 0"),
        ("r x R f", "6 0", "3 0"),
        ("R n", "9 0", "6 0"),
        ("add n", "0", "15 0"),
    ],
    ("90 -27", "88 -24"),
    "al is short of 2 multiplications and the tau row is omitted, as in Table 3. 'add n' joins four "
    "vectors instead of five: it is 9n-6. a is 18n-9 and 15n-9, since the last link needs its R a; "
    "r x R f and R n are (n-1) times. Half to two thirds of the saving over Table 3 come from a "
    "diagonal K against a full I.",
)
TURNEY_5 = _table(
    "Turney 5",
    "modified N-E, parallel steps",
    [
        ("w_1", "9", "7"),
        ("al_1", "9", "9"),
        ("A_1", "6", "9"),
        ("w_2", "9", "7"),
        ("al_2", "9", "9"),
        ("outward", "18 0", "15 0"),
        ("inward", "9 0", "12 0"),
    ],
    ("27 42", "27 41"),
    "Sums are right; al is short of 2 multiplications again.",
)
LEE_1 = _table(
    "Lee 1",
    "Lagrange-Euler controller",
    [
        ("T_i^j", "32 -32 0", "24 -24 0"),
        ("gravity terms", "36 -28 0", "51/2 -45/2 0"),
        ("sum of gravity terms", "0", "1/2 -1/2 0"),
        ("Tr of D", "128/3 128 256/3 0", "65/2 195/2 65 0"),
        ("sum of D", "0", "1/6 0 -1/6 0"),
        ("Tr of H", "128/3 128 256/3 0 0", "65/2 195/2 65 0 0"),
        ("sum of H", "0", "1/6 0 -1/6 0 0"),
        ("qdd + Kv ed + Kp e", "2 0", "4 0"),
        ("tau", "1 2 0 0", "1 1 0 0"),
    ],
    ("128/3 515/3 850/3 82/3 0", "98/3 787/6 640/3 131/6 0"),
    "Sums are right; the H row takes n n(n+1)(n+2)/6 traces, exact is n(n+1)(n+2)(3n+1)/24.",
)
LEE_2 = _table(
    "Lee 2",
    "Newton-Euler controller",
    [
        ("w", "9 0", "7 0"),
        ("al", "9 0", "9 0"),
        ("a", "27 0", "22 0"),
        ("abar", "15 0", "14 0"),
        ("F", "3 0", "0"),
        ("f", "9 -9", "9 -6"),
        ("N", "24 0", "18 0"),
        ("n", "21 -15", "24 -15"),
        ("qdd + Kv ed + Kp e", "2 0", "4 0"),
    ],
    ("119 -24", "107 -21"),
    "al is short of 2 multiplications and the tau row is omitted; additions of f and n are too many.",
)
ANGELES = _table(
    "Angeles 7.1 + 7.2",
    "Newton-Euler (7.43)",
    [
        ("Q", "4 0", "0"),
        ("w", "8 0", "5 0"),
        ("cd", "20 0", "16 0"),
        ("wd", "10 0", "7 0"),
        ("cdd", "32 0", "28 0"),
        ("row 1", "3", "3"),
        ("row 2", "30", "27"),
        ("row 5", "8 -8", "4 -4"),
        ("row 6", "3 -3", "3 -3"),
        ("row 7", "44 -44", "37 -37"),
    ],
    ("137 -22", "110 -14"),
    "The printed rows of 7.1 lack c (8n, 10n), which its total contains. 7.4.2 as printed never turns "
    "the wrench of the first joint (2, 1) and lets the tip wrench act at the center of mass (6, 6 at "
    "O_n).",
)
PRINTED = (TURNEY_2, TURNEY_3, TURNEY_4, TURNEY_5, LEE_1, LEE_2, ANGELES)

# Angeles, Tables 7.3 and 7.4: other authors, as polynomials and at n = 6.
ANGELES_7_3 = (
    ("Hollerbach (1980)", "E-L", poly("412 -277"), poly("320 -201")),
    ("Luh et al. (1980)", "N-E", poly("150 -48"), poly("131 -48")),
    ("Walker & Orin (1982)", "N-E", poly("137 -22"), poly("101 -11")),
    ("Khalil et al. (1986)", "N-E", poly("105 -92"), poly("94 -86")),
    ("Angeles et al. (1989)", "Kane", poly("105 -109"), poly("90 -105")),
    ("Balafoutis & Patel (1991)", "tensor", poly("93 -69"), poly("81 -65")),
    ("Li & Sankar (1992)", "E-L", poly("88 -69"), poly("76 -66")),
)
ANGELES_7_4 = (
    ("Hollerbach (1980)", "E-L", 2195, 1719),
    ("Luh et al. (1980)", "N-E", 852, 738),
    ("Walker & Orin (1982)", "N-E", 800, 595),
    ("Hollerbach and Sahar (1983)", "N-E", 688, 558),
    ("Kane & Levinson (1983)", "Kane", 646, 394),
    ("Khalil et al. (1986)", "N-E", 538, 478),
    ("Angeles et al. (1989)", "Kane", 521, 435),
    ("Balafoutis & Patel (1991)", "tensor", 489, 420),  # Table 7.3 at n = 6 gives 421
    ("Li & Sankar (1992)", "E-L", 459, 390),
)

# Row 4 of Turney 2 put right: name, multiplications, additions. Products of rates are formed once.
TURNEY_2_ROW_4 = ("{sum qdd, qd qd} J", poly("8/3 33/2 467/6 0"), poly("8/3 33/2 269/6 0"))


def appendix_sum(n: int) -> tuple[int, int]:
    """Additions of row 4 in Turney's appendix: its sum over the links, and the form that it prints."""
    return sum(16 * q * (q + 1) + 32 for q in range(1, n + 1)), 32 * n + 16 * n * (n * n - 1) // 3
