"""Batched generation on the CPU with the trainer's own weights and arithmetic."""
