import unittest

import torch
from peft import LoraConfig, get_peft_model
from tiny_model import VOCABULARY, tiny_llama

from coharness_trainer.failure import TrainerFailure
from coharness_trainer.prefix_tree import PrefixTree, partition_rows, prefix_tree
from coharness_trainer.prefix_tree_trainer import collate, tree_loss
from coharness_trainer.rows import Row
from coharness_trainer.tree_attention import tree_attention, use_tree_attention


def agent_rows() -> list[Row]:
    """Rows as an agent makes them: one long prefix, two tasks, two calls of one rollout, a duplicate, several spans."""
    generator = torch.Generator().manual_seed(7)

    def tokens(count: int) -> tuple[int, ...]:
        return tuple(torch.randint(0, VOCABULARY, (count,), generator=generator).tolist())

    harness, task_a, task_b, call_a = tokens(20), tokens(5), tokens(7), tokens(4)
    first = Row(harness + task_a + call_a, ((25, 29),))
    second = Row(first.input_ids + tokens(3) + tokens(2), ((32, 34),))
    rival = Row(harness + task_a + tokens(4), ((25, 29),))
    other = Row(harness + task_b + tokens(6), ((22, 24), (27, 33)))
    return [first, other, second, rival, first]


def lora_model() -> torch.nn.Module:
    torch.manual_seed(1)
    model = get_peft_model(tiny_llama(), LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM"))
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.1)
    return model


def row_by_row_loss(model: torch.nn.Module, rows: list[Row]) -> torch.Tensor:
    """The textbook form: each row alone, full logits, mean over all supervised tokens."""
    total, count = 0.0, 0
    for row in rows:
        log_probabilities = torch.log_softmax(model(input_ids=torch.tensor([row.input_ids])).logits[0], dim=-1)
        for start, end in row.supervised:
            for position in range(start, end):
                total = total - log_probabilities[position - 1, row.input_ids[position]]
                count += 1
    return total / count


def gradients(model: torch.nn.Module, loss: torch.Tensor) -> dict[str, torch.Tensor]:
    model.zero_grad()
    loss.backward()
    return {name: parameter.grad.clone() for name, parameter in model.named_parameters() if parameter.requires_grad}


class PrefixTreeTest(unittest.TestCase):
    def test_loss_and_lora_gradients_equal_those_of_each_row_alone(self):
        model, rows = lora_model(), agent_rows()
        plain = row_by_row_loss(model, rows)
        count = sum(row.target_count() for row in rows)
        expected = gradients(model, plain)
        use_tree_attention(model.get_base_model())
        packed = tree_loss(model, prefix_tree(rows)) / count
        self.assertAlmostEqual(plain.item(), packed.item(), delta=1e-5)
        actual = gradients(model, packed)
        self.assertEqual(len(expected), 2 * 7 * 2)
        for name, gradient in expected.items():
            self.assertGreater(gradient.abs().max().item(), 1e-4, name)
            torch.testing.assert_close(actual[name], gradient, rtol=1e-4, atol=1e-5, msg=name)

    def test_a_batch_split_into_several_trees_has_the_loss_of_the_whole_batch(self):
        model, rows = lora_model(), agent_rows()
        groups = partition_rows(rows, 30)
        self.assertGreater(len(groups), 1)
        self.assertEqual(sorted(row.input_ids for group in groups for row in group), sorted(row.input_ids for row in rows))
        count = sum(row.target_count() for row in rows)
        plain = row_by_row_loss(model, rows).item()
        use_tree_attention(model.get_base_model())
        split = sum(tree_loss(model, prefix_tree(group)) for group in groups) / count
        self.assertAlmostEqual(plain, split.item(), delta=1e-5)

    def test_partitions_respect_the_node_limit_unless_one_row_alone_is_longer(self):
        rows = agent_rows()
        for limit in (1, 25, 32, 60, 1000):
            for group in partition_rows(rows, limit):
                nodes = len(prefix_tree(group).input_ids)
                self.assertTrue(nodes <= limit or len(group) == 1, (limit, nodes))

    def test_each_shared_prefix_is_one_chain_of_nodes(self):
        rows = [Row((1, 2, 3, 4), ((3, 4),)), Row((1, 2, 3, 5), ((3, 4),)), Row((1, 2, 9, 5), ((3, 4),))]
        tree = prefix_tree(rows)
        self.assertEqual(tree.input_ids.tolist(), [1, 2, 3, 9])
        self.assertEqual(tree.position_ids.tolist(), [0, 1, 2, 2])
        self.assertEqual(
            [(branch.start, branch.end, branch.path.tolist()) for branch in tree.branches()],
            [(0, 3, [0, 1, 2]), (3, 4, [0, 1, 3])],
        )
        self.assertEqual(tree.predictors.tolist(), [2, 3])

    def test_a_transition_counts_as_often_as_rows_supervise_it(self):
        row = Row((1, 2, 3), ((1, 3),))
        tree = prefix_tree([row, row, Row((1, 2, 4), ((2, 3),))])
        counts = {
            (int(tree.predictors[predictor]), int(target)): int(count)
            for predictor, target, count in zip(tree.transition_predictor, tree.transition_target, tree.transition_count)
        }
        self.assertEqual(counts, {(0, 2): 2, (1, 3): 2, (1, 4): 1})

    def test_the_order_of_rows_does_not_matter(self):
        rows = agent_rows()
        one, other = vars(prefix_tree(rows)), vars(prefix_tree(rows[::-1]))
        self.assertTrue(torch.equal(one["input_ids"], other["input_ids"]))
        self.assertTrue(torch.equal(one["branch_paths"], other["branch_paths"]))

    def test_the_collator_counts_targets_and_unshared_tokens(self):
        rows = agent_rows()
        batch = collate([{"input_ids": list(row.input_ids), "supervised": [list(s) for s in row.supervised]} for row in rows])
        self.assertEqual(batch["target_count"], sum(row.target_count() for row in rows))
        self.assertEqual(batch["row_tokens"], sum(len(row.input_ids) for row in rows))
        self.assertLess(len(PrefixTree(**batch["trees"][0]).input_ids), batch["row_tokens"] / 2)


class TreeAttentionTest(unittest.TestCase):
    def test_refuses_a_model_whose_attention_is_windowed_shorter_than_a_row(self):
        branches = prefix_tree(agent_rows()).branches()
        with self.assertRaises(TrainerFailure) as raised:
            tree_attention(torch.nn.Identity(), None, None, None, None, 1.0, branches=branches, sliding_window=8)
        self.assertEqual(raised.exception.code, "unsupported-model")


if __name__ == "__main__":
    unittest.main()
