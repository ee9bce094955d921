"""The generation engine gives what transformers gives, however requests meet in a batch."""

import json
import os
import queue
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy
import torch
from peft import LoraConfig, PeftModel, get_peft_model
from tiny_model import VOCABULARY, tiny_llama, write_tiny_gguf

from coharness_trainer.generation.choose_prefix import choose_prefix, common_length
from coharness_trainer.generation.engine import Engine
from coharness_trainer.generation.key_value_store import KeyValueStore
from coharness_trainer.generation.llama_forward import flash_attention, forward
from coharness_trainer.generation.llama_weights import llama_weights, served_model
from coharness_trainer.generation.plan_pass import plan_pass
from coharness_trainer.generation.sampling import Sampling, sample, uniform
from coharness_trainer.generation.sequence import Request, Sequence
from coharness_trainer.generation.stop_bytes import StopWatch, token_bytes
from coharness_trainer.generation.team import Team
from coharness_trainer.job import file_hash

GREEDY = Sampling(0, 1, 0, 0)
WINDOW = 128


def random_tokens(count: int, seed: int) -> list[int]:
    return torch.randint(0, VOCABULARY, (count,), generator=torch.Generator().manual_seed(seed)).tolist()


@torch.no_grad()
def reference(model, prompt: list[int], count: int) -> list[int]:
    """Greedy tokens of transformers, the whole sequence evaluated for each."""
    tokens = list(prompt)
    for _ in range(count):
        tokens.append(model(torch.tensor([tokens])).logits[0, -1].argmax().item())
    return tokens[len(prompt) :]


class Collected:
    def __init__(self, model, slots: int = 4, end_tokens=()):
        self.results: dict[int, tuple[list[int], str]] = {}
        weights = llama_weights(model, WINDOW)
        self.engine = Engine(weights, slots, list(end_tokens), lambda token: b"<%d>" % token, self.keep, least_spared=66)

    def keep(self, request_id: int, tokens: list[int], reason: str) -> None:
        self.results[request_id] = (tokens, reason)

    def run(self, *requests: Request) -> dict[int, tuple[list[int], str]]:
        for request in requests:
            self.engine.submit(request)
        while not self.engine.is_idle:
            self.engine.step()
        return self.results


def ask(request_id: int, prompt: list[int], count: int = 6, sampling: Sampling = GREEDY, stop=()) -> Request:
    return Request(request_id, prompt, count, sampling, list(stop))


class ForwardTest(unittest.TestCase):
    def test_the_internal_attention_operator_means_what_we_take_it_for(self):
        torch.manual_seed(0)
        queries, keys, values = torch.randn(2, 3, 5, 8), torch.randn(2, 3, 7, 8), torch.randn(2, 3, 7, 8)
        mask = torch.zeros(2, 1, 5, 7).masked_fill_(torch.rand(2, 1, 5, 7) > 0.6, -1e30)
        mask[..., 0] = 0
        output, normaliser = flash_attention(queries, keys, values, mask)
        scores = queries @ keys.transpose(-1, -2) / 8**0.5 + mask
        torch.testing.assert_close(output, scores.softmax(-1) @ values)
        torch.testing.assert_close(normaliser, scores.logsumexp(-1))

    def test_logits_equal_those_of_transformers(self):
        model = tiny_llama()
        weights = llama_weights(model, WINDOW)
        store = KeyValueStore(weights, 3)
        prompts = [random_tokens(count, count) for count in (40, 3, 17)]
        shares = [(Sequence(ask(0, prompt), slot, None, StopWatch([]), [], prompt), len(prompt)) for slot, prompt in enumerate(prompts)]
        work, ready = plan_pass(shares, weights, store)
        for row, sequence in zip(forward(weights, store, work), ready):
            prompt = sequence.request.prompt
            expected = model(torch.tensor([prompt])).logits[0, -1]
            self.assertLess((row - expected).abs().max().item(), 1e-4)


class EngineTest(unittest.TestCase):
    def test_greedy_results_equal_those_of_transformers_for_requests_that_share_prefixes_wait_and_continue(self):
        model = tiny_llama()
        harness, rival = random_tokens(70, 1), random_tokens(66, 2)
        prompts = [harness + random_tokens(3 + seed % 5, 10 + seed) for seed in range(7)]
        prompts += [rival + random_tokens(4 + seed, 30 + seed) for seed in range(3)]
        prompts += [random_tokens(5, 40), prompts[0], prompts[0], rival[:30]]
        collected = Collected(model)
        results = collected.run(*(ask(index, prompt) for index, prompt in enumerate(prompts)))
        for index, prompt in enumerate(prompts):
            self.assertEqual(results[index], (reference(model, prompt, 6), "length"), f"prompt {index}")
        self.assertEqual([len(prefix.tokens) for prefix in collected.engine.prefixes].count(70), 1)
        # The next turns of two conversations: only what was added is evaluated.
        before = collected.engine.counts["evaluated"]
        latest = list(collected.engine.parked)[-2:]
        turns = {100 + index: prompts[index] + results[index][0] + random_tokens(4, 50 + index) for index in latest}
        results = collected.run(*(ask(index, prompt) for index, prompt in turns.items()))
        for index, prompt in turns.items():
            self.assertEqual(results[index][0], reference(model, prompt, 6))
        self.assertEqual(collected.engine.counts["evaluated"] - before, 2 * (1 + 4 + 5))

    def test_a_shared_prefix_is_evaluated_once(self):
        harness = random_tokens(80, 3)
        collected = Collected(tiny_llama())
        collected.run(*(ask(index, harness + [index, 5], 1) for index in range(12)))
        self.assertEqual(collected.engine.counts["evaluated"], 80 + 12 * 2)

    def test_more_prefixes_than_are_kept_at_once_still_give_right_results(self):
        model = tiny_llama()
        prompts = [random_tokens(70, seed) + [tail] for seed in range(12) for tail in (1, 2)]
        results = Collected(model, slots=20).run(*(ask(index, prompt, 3) for index, prompt in enumerate(prompts)))
        for index, prompt in enumerate(prompts):
            self.assertEqual(results[index][0], reference(model, prompt, 3), f"prompt {index}")

    def test_a_sampled_result_depends_on_its_seed_and_not_on_its_neighbours(self):
        prompt = random_tokens(9, 4)
        warm = Sampling(1.2, 0.9, 20, 7)
        alone = Collected(tiny_llama()).run(ask(0, prompt, 20, warm))[0]
        crowd = [ask(seed, prompt, 20, Sampling(1.2, 0.9, 20, seed)) for seed in (1, 2, 3, 4, 5)]
        among = Collected(tiny_llama()).run(*crowd, ask(0, prompt, 20, warm))
        self.assertEqual(among[0], alone)
        self.assertGreater(len({tuple(tokens) for tokens, _ in among.values()}), 3)

    def test_says_why_a_sequence_ended(self):
        model = tiny_llama()
        prompt = random_tokens(10, 5)
        following = reference(model, prompt, 8)
        self.assertEqual(Collected(model, end_tokens=[following[3]]).run(ask(0, prompt, 8))[0][1], "end")
        text = "".join(f"<{token}>" for token in following)
        stop = text[2:9]
        tokens, reason = Collected(model).run(ask(0, prompt, 8, stop=["nowhere", stop]))[0]
        self.assertEqual(reason, "stop-text")
        shown = "".join(f"<{token}>" for token in tokens)
        self.assertIn(stop, shown)
        self.assertNotIn(stop, "".join(f"<{token}>" for token in tokens[:-1]))
        long = random_tokens(WINDOW - 2, 6)
        self.assertEqual(Collected(model).run(ask(0, long, 5))[0], (reference(model, long, 2), "window"))
        self.assertEqual(Collected(model).run(ask(0, random_tokens(WINDOW, 6), 5))[0], ([], "window"))

    def test_cancelled_requests_give_no_result_and_free_their_slot(self):
        collected = Collected(tiny_llama(), slots=1)
        for index in (0, 1, 2):
            collected.engine.submit(ask(index, random_tokens(5, index), 30))
        collected.engine.step()
        collected.engine.cancel(0)
        collected.engine.cancel(2)
        collected.run()
        self.assertEqual(list(collected.results), [1])


class TeamTest(unittest.TestCase):
    def test_two_engines_give_together_what_one_gives_and_conversations_stay_where_they_began(self):
        model, results, failures = tiny_llama(), queue.SimpleQueue(), []
        weights = llama_weights(model, WINDOW)
        team = Team(
            2,
            lambda finish: Engine(weights, 3, [], lambda token: b"", finish, least_spared=66),
            lambda *result: results.put(result),
            failures.append,
        )
        harness = random_tokens(70, 1)
        prompts = {index: harness + random_tokens(3 + index % 4, 10 + index) for index in range(24)}
        for index, prompt in prompts.items():
            team.submit(ask(index, prompt))
        first = {index: tokens for index, tokens, _ in (results.get(timeout=60) for _ in prompts)}
        self.assertEqual(failures, [])
        for index, prompt in prompts.items():
            self.assertEqual(first[index], reference(model, prompt, 6), f"prompt {index}")
        self.assertTrue(all(worker.engine.counts["sampled"] > 0 for worker in team.workers))
        self.assertEqual([worker.outstanding for worker in team.workers], [0, 0])
        for worker in team.workers:
            parked = list(worker.engine.parked.values())[-1]
            turn = parked.tokens + [1, 2, 3]
            self.assertLess(worker.unseen(turn), min(other.unseen(turn) for other in team.workers if other is not worker))
        team.cancel(0)
        for worker in team.workers:
            worker.inbox.put(None)

    def test_what_a_worker_raises_is_reported(self):
        failures = queue.SimpleQueue()
        team = Team(1, lambda finish: Engine(llama_weights(tiny_llama(), WINDOW), 1, [], None, finish), lambda *_: None, failures.put)
        team.submit(ask(0, [VOCABULARY + 5]))
        self.assertIsInstance(failures.get(timeout=60), IndexError)


class SamplingTest(unittest.TestCase):
    def test_draws_follow_the_filtered_distribution(self):
        logits = torch.tensor([2.0, 1.0, 0.5, 0.0, -1.0])
        count = 20_000
        cases = {
            Sampling(0.7, 1, 0, 0): torch.softmax(logits / 0.7, -1),
            Sampling(1.0, 1, 2, 0): torch.softmax(logits[:2], -1),
            # Probabilities 0.54, 0.20, 0.12, 0.07, … before the temperature: three reach 0.8.
            Sampling(2.0, 0.8, 0, 0): torch.softmax(logits[:3] / 2, -1),
        }
        for setting, expected in cases.items():
            rows = [Sampling(setting.temperature, setting.top_p, setting.top_k, seed) for seed in range(count)]
            drawn = sample(logits.expand(count, -1), rows, [3] * count)
            shares = torch.bincount(torch.tensor(drawn), minlength=5) / count
            padded = torch.cat([expected, torch.zeros(5 - len(expected))])
            self.assertLess((shares - padded).abs().max().item(), 0.015, setting)

    def test_top_p_is_exact_where_the_head_of_the_distribution_is_not_enough(self):
        flat = torch.zeros(1, 5000)
        drawn = {sample(flat, [Sampling(1, 0.5, 0, seed)], [0])[0] for seed in range(300)}
        self.assertGreater(len(drawn), 270)

    def test_random_numbers_are_uniform_and_belong_to_seed_and_step(self):
        numbers = uniform(numpy.arange(50_000), numpy.zeros(50_000, dtype=int))
        self.assertAlmostEqual(numbers.mean().item(), 0.5, delta=0.01)
        self.assertAlmostEqual(numbers.var().item(), 1 / 12, delta=0.005)
        again = uniform(numpy.array([7, 7, 8]), numpy.array([0, 1, 0]))
        self.assertEqual(len(set(again.tolist())), 3)


class PrefixTest(unittest.TestCase):
    def test_common_length(self):
        self.assertEqual(common_length([1, 2, 3], [1, 2, 4]), 2)
        self.assertEqual(common_length([1, 2], [1, 2, 4]), 2)
        self.assertEqual(common_length([5], [6]), 0)
        for length in range(40):
            left, right = random_tokens(40, 1), random_tokens(40, 1)
            right[length] = 99
            self.assertEqual(common_length(left, right), length)

    def test_chooses_what_all_share_and_not_what_two_of_them_share_a_little_longer(self):
        harness = random_tokens(100, 8)
        prompts = [harness + [1, 2, tail] for tail in (3, 4)] + [harness + [tail, 1] for tail in (5, 6, 7)]
        self.assertEqual(choose_prefix(prompts, [0] * 5, [], 100), harness)
        self.assertIsNone(choose_prefix(prompts, [100] * 5, [], 1))

    def test_two_samples_of_one_task_get_no_prefix_of_their_own(self):
        harness, tasks = random_tokens(100, 8), [random_tokens(80, seed) for seed in range(20)]
        prompts = [harness + task for task in tasks for _ in range(2)]
        self.assertEqual(choose_prefix(prompts, [0] * 40, []), harness)
        self.assertIsNone(choose_prefix(prompts, [100] * 40, []))

    def test_leaves_the_last_token_of_identical_prompts_outside(self):
        prompt = random_tokens(100, 9)
        self.assertEqual(choose_prefix([prompt, prompt], [0, 0], [], 90), prompt[:-1])

    def test_a_short_or_single_prompt_has_nothing_to_share(self):
        self.assertIsNone(choose_prefix([random_tokens(30, 1)] * 4, [0] * 4, [], 1))
        self.assertIsNone(choose_prefix([random_tokens(90, 1)], [0], [], 1))
        self.assertEqual(choose_prefix([random_tokens(90, 1)], [0], [random_tokens(90, 1)], 80), random_tokens(90, 1)[:-1])


class FilesTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.base = self.folder / "base.gguf"
        write_tiny_gguf(self.base)

    def test_the_merged_adapter_computes_what_peft_computes(self):
        adapted = get_peft_model(tiny_llama(), LoraConfig(r=4, lora_alpha=12, target_modules="all-linear", task_type="CAUSAL_LM"))
        for name, parameter in adapted.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(parameter, std=0.2)
        adapted.save_pretrained(self.folder / "adapter")
        expected = PeftModel.from_pretrained(tiny_llama(), self.folder / "adapter")
        merged = served_model(self.base, file_hash(self.base), self.folder / "adapter", torch.float32)
        tokens = torch.tensor([random_tokens(20, 2)])
        torch.testing.assert_close(merged(tokens).logits, expected(tokens).logits, atol=1e-4, rtol=1e-4)
        self.assertGreater((merged(tokens).logits - tiny_llama()(tokens).logits).abs().max().item(), 0.1)

    def test_tokens_are_known_by_their_bytes(self):
        self.assertEqual(token_bytes(self.base)[:2], [b"t0", b"t1"])

    def test_a_stop_string_may_span_tokens_and_bytes(self):
        watch = StopWatch(["é!"])
        self.assertEqual([watch.completes(part) for part in (b"caf\xc3", b"\xa9", b"!x")], [False, False, True])

    def test_speaks_lines_until_stdin_ends(self):
        opening = {
            "base": {"gguf": str(self.base), "hash": file_hash(self.base)},
            "adapter": None, "slots": 4, "windowTokens": 64, "threads": 2, "endTokens": [0],
        }  # fmt: skip
        request = {"id": 1, "prompt": [3, 4, 5], "maxTokens": 4, "temperature": 0, "topP": 1, "topK": 0, "seed": 0, "stop": []}
        lines = [opening, request, {**request, "id": 2, "prompt": [VOCABULARY]}, {**request, "id": 3, "stop": ["t"]}]
        process = subprocess.Popen(
            [sys.executable, "-m", "coharness_trainer.generation"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(4)]
        rest, complaints = process.communicate()
        self.assertEqual((process.returncode, rest), (0, ""), complaints)
        self.assertEqual(answers[0]["event"], "ready")
        by_id = {answer["id"]: answer for answer in answers[1:]}
        expected = reference(tiny_llama(), [3, 4, 5], 4)
        self.assertEqual(by_id[1]["tokens"][: len(expected)], expected[: len(by_id[1]["tokens"])])
        self.assertIn("not in the vocabulary", by_id[2]["error"])
        self.assertEqual((len(by_id[3]["tokens"]), by_id[3]["finish"]), (1, "stop-text"))


if __name__ == "__main__":
    unittest.main()
