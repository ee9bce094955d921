"""python scripts/statistics-oracle.py < cases.json > answers.json

Second implementation of the gate's statistics, written apart from src/statistics: exact fractions, brute force and, where SciPy is
installed, its functions. Used by src/statistics/oracle.test.ts. Each case is {"kind": …, …}; the answer is a number or a list of numbers.
"""

import json
import math
import sys
from fractions import Fraction

try:
    from scipy import stats as scipy_stats
except ImportError:
    scipy_stats = None


def permutation(case):
    """Exact share of sign patterns that reach the sum, by convolution over whole quarters."""
    units = [round(4 * value) for value in case["differences"]]
    ways = {0: 1}
    for unit in units:
        following = {}
        for total, count in ways.items():
            following[total + unit] = following.get(total + unit, 0) + count
            following[total - unit] = following.get(total - unit, 0) + count
        ways = following
    reached = sum(count for total, count in ways.items() if total >= sum(units))
    return float(Fraction(reached, 2 ** len(units)))


def sign(case):
    n = case["positive"] + case["negative"]
    if scipy_stats and n > 0:
        return float(scipy_stats.binomtest(case["positive"], n, 0.5, alternative="greater").pvalue)
    return float(Fraction(sum(math.comb(n, k) for k in range(case["positive"], n + 1)), 2**n))


def mean_test(case):
    values, null_mean = case["differences"], case["nullMean"]
    if scipy_stats:
        return float(scipy_stats.ttest_1samp(values, null_mean, alternative="greater").pvalue)
    n = len(values)
    centre = math.fsum(values) / n
    spread = math.fsum((value - centre) ** 2 for value in values) / (n - 1)
    return student_tail((centre - null_mean) / math.sqrt(spread / n), n - 1)


def student_tail(t, freedom):
    """Simpson's rule on the density, substituted so that the range is finite: x = sqrt(freedom) tan(angle)."""
    start, end, steps = math.atan(t / math.sqrt(freedom)), math.pi / 2, 2000
    width = (end - start) / steps
    heights = [math.cos(start + step * width) ** (freedom - 1) for step in range(steps + 1)]
    area = width / 3 * (heights[0] + heights[-1] + 4 * math.fsum(heights[1:-1:2]) + 2 * math.fsum(heights[2:-1:2]))
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(math.pi) / 2
    return area * math.exp(constant)


def wilson(case):
    n, level = case["n"], case["level"]
    if scipy_stats:
        bounds = scipy_stats.binomtest(case["successes"], n).proportion_ci(level, method="wilson")
        return [float(bounds.low), float(bounds.high)]
    # The interval is where (p̂ − p)² ≤ z² p (1 − p) / n: find both ends by bisection.
    share, z = case["successes"] / n, normal_quantile(1 - (1 - level) / 2)
    outside = lambda p: (share - p) ** 2 > z * z * p * (1 - p) / n
    return [bisect(outside, 0.0, share), bisect(lambda p: not outside(p), share, 1.0)]


def exact(case):
    successes, n, level = case["successes"], case["n"], case["level"]
    if scipy_stats:
        # Two-sided at 2 level − 1 is one-sided at level on each side.
        bounds = scipy_stats.binomtest(successes, n).proportion_ci(2 * level - 1, method="exact")
        return [float(bounds.low), float(bounds.high)]
    at_most = lambda k, p: math.fsum(math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k + 1))
    upper = 1.0 if successes == n else bisect(lambda p: at_most(successes, p) > 1 - level, 0.0, 1.0)
    lower = 0.0 if successes == 0 else bisect(lambda p: 1 - at_most(successes - 1, p) < 1 - level, 0.0, 1.0)
    return [lower, upper]


def bisect(holds, low, high):
    """Where `holds` ends, when it holds at the lower end; the lower end otherwise."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def normal_quantile(probability):
    return bisect(lambda z: 0.5 * math.erfc(-z / math.sqrt(2)) < probability, -40.0, 40.0)


def betting(case):
    """Capital after each observation, written from the papers' formulas with logarithms of single accounts."""
    null_mean, horizon = case["nullMean"], case.get("horizon")
    fractions = [0.4, 0.95] if horizon else [0.08, 0.16, 0.3, 0.5, 0.72, 0.95]
    weight = (0.3 if horizon else 1.0) / len(fractions)
    logs = [math.log(weight) for _ in fractions]
    star, squares, capitals = 0.0, 0.0, []
    for seen, value in enumerate(case["differences"]):
        surplus = value - null_mean
        if horizon:
            mixture = math.fsum(math.exp(account) for account in logs)
            room = (horizon["target"] - mixture) / 0.7
            missing = math.log(room) - star if room > 0 else -1.0
            left = horizon["observations"] - seen
            bet = 0.0
            if missing > 0 and left > 0:
                spread = (squares + 8 * horizon["variance"]) / (seen + 8)
                bet = min(0.98 / (1 + null_mean), math.sqrt(2 * missing / (left * spread)))
            star += math.log1p(bet * surplus)
            squares += surplus**2
        logs = [account + math.log1p(part / (1 + null_mean) * surplus) for account, part in zip(logs, fractions)]
        total = math.fsum(math.exp(account) for account in logs)
        capitals.append(total + (0.7 * math.exp(star) if horizon else 0.0))
    return capitals


KINDS = {
    "permutation": permutation,
    "sign": sign,
    "mean": mean_test,
    "wilson": wilson,
    "exact": exact,
    "betting": betting,
}

if __name__ == "__main__":
    cases = json.load(sys.stdin)
    json.dump([KINDS[case["kind"]](case) for case in cases], sys.stdout)
