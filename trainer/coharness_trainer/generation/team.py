"""Several engines over the same weights, each in its own thread with its own share of the cores."""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from .choose_prefix import common_length
from .engine import Engine
from .sequence import Request

# Two cores that compute apart lose nothing when one of them is taken away for a while; two that meet after every product of
# matrices both stand still. More engines than two would make batches too small.
MOST_WORKERS = 2
# What a request is expected to generate, to tell how much work an engine has before it.
EXPECTED_TOKENS = 32
# Work is moved to the engine that has less to do only where that is worth twice the tokens that it has to evaluate once more.
REPETITION_COST = 2
# Requests come in crowds; what is common to a crowd shows only once it is there.
GATHERING_SECONDS = 0.01

CLOSED = None


@dataclass(eq=False)
class Worker:
    engine: Engine
    inbox: queue.SimpleQueue = field(default_factory=queue.SimpleQueue)
    # Tokens to evaluate and to sample for what it was given and has not finished.
    outstanding: int = 0
    # What it has seen lately: prompts, and conversations once they are finished.
    seen: deque[list[int]] = field(default_factory=lambda: deque(maxlen=256))

    def work(self) -> None:
        """Until an order is CLOSED."""
        while True:
            while self.engine.is_idle or not self.inbox.empty():
                if self.engine.is_idle and self.inbox.empty():
                    first = self.inbox.get()
                    time.sleep(GATHERING_SECONDS)
                else:
                    first = self.inbox.get()
                if first is CLOSED:
                    return
                first(self.engine)
            self.engine.step()

    def unseen(self, prompt: list[int]) -> int:
        return len(prompt) - max((common_length(prompt, tokens) for tokens in self.seen), default=0)


class Team:
    """
    `submit` and `cancel` belong to one thread; `finish` is called from the workers' threads. What a worker raises goes to `fail`,
    after which it does nothing any more.
    """

    def __init__(
        self,
        workers: int,
        make_engine: Callable[[Callable], Engine],
        finish: Callable[[int, list[int], str], None],
        fail: Callable[[BaseException], None],
    ):
        self.finish = finish
        self.fail = fail
        self.lock = threading.Lock()
        self.orders: dict[int, tuple[Worker, Request, int]] = {}
        self.workers = [Worker(make_engine(self._finished)) for _ in range(workers)]
        for worker in self.workers:
            worker.engine.peers = [peer.engine for peer in self.workers if peer is not worker]
            threading.Thread(target=self._run, args=(worker,), daemon=True).start()

    def submit(self, request: Request) -> None:
        with self.lock:
            unseen = [worker.unseen(request.prompt) for worker in self.workers]
            place = min(
                range(len(unseen)), key=lambda index: self.workers[index].outstanding + REPETITION_COST * unseen[index]
            )
            worker, cost = self.workers[place], unseen[place] + min(request.max_tokens, EXPECTED_TOKENS)
            worker.outstanding += cost
            worker.seen.append(request.prompt)
            self.orders[request.id] = (worker, request, cost)
        worker.inbox.put(lambda engine: engine.submit(request))

    def cancel(self, request_id: int) -> None:
        with self.lock:
            worker, _, cost = self.orders.pop(request_id, (None, None, 0))
            if worker is None:
                return
            worker.outstanding -= cost
        worker.inbox.put(lambda engine: engine.cancel(request_id))

    def _finished(self, request_id: int, tokens: list[int], reason: str) -> None:
        with self.lock:
            worker, request, cost = self.orders.pop(request_id, (None, None, 0))
            if worker is None:
                return
            worker.outstanding -= cost
            worker.seen.append(request.prompt + tokens)
        self.finish(request_id, tokens, reason)

    def _run(self, worker: Worker) -> None:
        try:
            worker.work()
        except BaseException as error:
            self.fail(error)
