"""The next token of each row, from its own logits and its own random number."""

from dataclasses import dataclass

import numpy
import torch

# Rows with top-p look at this many of the likeliest tokens first; sorting a whole vocabulary costs as much as the model.
HEAD = 256


@dataclass(frozen=True)
class Sampling:
    # 0 = greedy.
    temperature: float
    # In (0, 1]; 1 = off.
    top_p: float
    # 0 = off.
    top_k: int
    seed: int


def uniform(seeds: numpy.ndarray, steps: numpy.ndarray) -> torch.Tensor:
    """One number in [0, 1) for each (seed, step): no state, so neighbours cannot shift it. SplitMix64, twice."""
    with numpy.errstate(over="ignore"):
        mixed = _mix(_mix(seeds.astype(numpy.uint64)) + steps.astype(numpy.uint64))
    return torch.from_numpy((mixed >> numpy.uint64(11)).astype(numpy.float64) * 2.0**-53)


def _mix(value: numpy.ndarray) -> numpy.ndarray:
    value = value + numpy.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return value ^ (value >> numpy.uint64(31))


def sample(logits: torch.Tensor, rows: list[Sampling], steps: list[int]) -> list[int]:
    """
    `logits` [K, vocabulary] in fp32; `steps` counts the tokens that each row has sampled before. Order of the filters as in
    llama.cpp: top-k, then top-p over what is left, then temperature.
    """
    chosen = logits.argmax(-1)
    for members, draw in ((_plain(rows), _draw_from_all), (_filtered(rows), _draw_from_head)):
        if members:
            settings = [rows[row] for row in members]
            seeds = numpy.array([setting.seed for setting in settings])
            numbers = uniform(seeds, numpy.array([steps[row] for row in members]))
            index = torch.tensor(members)
            chosen[index] = draw(logits[index], settings, numbers)
    return chosen.tolist()


def _plain(rows: list[Sampling]) -> list[int]:
    return [i for i, row in enumerate(rows) if row.temperature > 0 and row.top_p >= 1 and row.top_k == 0]


def _filtered(rows: list[Sampling]) -> list[int]:
    return [i for i, row in enumerate(rows) if row.temperature > 0 and (row.top_p < 1 or row.top_k > 0)]


def _temperatures(settings: list[Sampling]) -> torch.Tensor:
    return torch.tensor([setting.temperature for setting in settings])[:, None]


def _draw_from_all(logits: torch.Tensor, settings: list[Sampling], numbers: torch.Tensor) -> torch.Tensor:
    return _draw(torch.softmax(logits / _temperatures(settings), -1), numbers)


def _draw_from_head(logits: torch.Tensor, settings: list[Sampling], numbers: torch.Tensor) -> torch.Tensor:
    vocabulary = logits.shape[1]
    limits = torch.tensor([min(setting.top_k or vocabulary, vocabulary) for setting in settings])[:, None]
    masses = torch.tensor([setting.top_p for setting in settings])[:, None]
    size = min(vocabulary, max(HEAD, max((setting.top_k for setting in settings), default=0)))
    while True:
        head, tokens = logits.topk(size, -1)
        kept = torch.arange(size)[None] < limits
        # What top-p measures against: the tokens that top-k left, or all of them.
        within = head.masked_fill(~kept, -torch.inf).logsumexp(-1, keepdim=True)
        whole = torch.where(limits < vocabulary, within, logits.logsumexp(-1, keepdim=True))
        before = (head - whole).exp().masked_fill(~kept, 0).cumsum(-1)
        complete = (before[:, -1:] >= masses) | (limits <= size)
        if size == vocabulary or bool(complete.all()):
            break
        size = vocabulary
    # A token stays while the mass before it has not reached top-p, so the first always stays.
    mass_before = torch.cat([torch.zeros_like(before[:, :1]), before[:, :-1]], -1)
    kept = kept & (mass_before < masses)
    weights = torch.softmax((head / _temperatures(settings)).masked_fill(~kept, -torch.inf), -1)
    return tokens.gather(1, _draw(weights, numbers)[:, None])[:, 0]


def _draw(weights: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
    """Inverse of the cumulative distribution at each row's number."""
    cumulative = weights.cumsum(-1)
    total = cumulative[:, -1:]
    # Just below the total, whatever rounding did: the step that reaches it belongs to a token with some weight.
    targets = torch.minimum(numbers[:, None].to(cumulative.dtype) * total, torch.nextafter(total, torch.zeros_like(total)))
    return torch.searchsorted(cumulative, targets, right=True)[:, 0]
