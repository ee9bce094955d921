"""Which leading tokens of the waiting prompts are worth a shared prefix."""

# A prefix must spare this many tokens to each sequence that uses it; below, the bookkeeping costs more.
LEAST_TOKENS = 64
# And this many to all of them. Two samples of one task share their whole prompt, but there is a cheaper way for so few: the second
# copies what the first has evaluated.
LEAST_SPARED = 1000


def common_length(left: list[int], right: list[int], start: int = 0) -> int:
    """Leading tokens that are equal in both, given that the first `start` are."""
    most = min(len(left), len(right))
    if left[start:most] == right[start:most]:
        return most
    # Halving compares slices at the speed of C; prompts agree for hundreds of tokens.
    low, high = start, most
    while high - low > 1:
        middle = (low + high) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle
    return low if low < most and left[low] != right[low] else high


def choose_prefix(
    waiting: list[list[int]], covered: list[int], running: list[list[int]], least_spared: int = LEAST_SPARED
) -> list[int] | None:
    """
    The prefix that spares the most tokens to the waiting prompts, of which `covered` leading ones each are shared already.
    Running prompts only testify that a prefix is common. None where nothing reaches LEAST_TOKENS and `least_spared`.
    """
    entries = sorted([(prompt, start) for prompt, start in zip(waiting, covered)] + [(prompt, -1) for prompt in running])
    # The last token of a prompt must stay outside: its logits are what generation starts from.
    shared = [
        min(common_length(a, b), len(a) - 1, len(b) - 1) for (a, _), (b, _) in zip(entries, entries[1:])
    ]
    best, best_spared = None, least_spared - 1
    for length in sorted({length for length in shared if length >= LEAST_TOKENS}):
        start = 0
        while start < len(entries):
            end = start + 1
            while end < len(entries) and shared[end - 1] >= length:
                end += 1
            gains = [length - done for _, done in entries[start:end] if done >= 0 and length - done >= LEAST_TOKENS]
            # Its own evaluation is paid by one of those that would have evaluated the same tokens.
            spared = sum(gains) - (max(gains, default=0) if len(gains) == end - start else 0)
            if end - start > 1 and spared > best_spared:
                best, best_spared = entries[start][0][:length], spared
            start = end
    return best
