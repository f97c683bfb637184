"""How evenly `hashlanes._cluster.plan` divides work among many workers, as a table in Markdown.

    python assignment.py [--rate BYTES] [--object SECONDS] [--task SECONDS]

The plan is the real one. Workers are simulated: each takes the next task when it is free, as the
engines do. The arguments say what one worker needs, as measured by `cluster.py`.
"""

import argparse
import heapq
import math
import random

from hashlanes._cluster import plan
from hashlanes._cluster.stores import Object

WORKERS = [2, 16, 256, 1024, 4096]


def log_normal(count):
    """Objects with a median of 1 MiB and a mean of 7.4 MiB."""
    random.seed(32)
    return [random.lognormvariate(math.log(1 << 20), 2) for _ in range(count)]


def batches(sizes, part_size=None):
    """Pairs of bytes and numbers of objects, one for each batch."""
    objects = (Object("", int(size), stop=int(size)) for size in sizes)
    for batch, cost in plan.batches(objects, part_size):
        yield cost - len(batch) * plan.OBJECT_COST, len(batch)


def small(count, size):
    """The same for objects of one size, of which there are too many to make each."""
    in_batch = min(plan.BATCH_OBJECTS, plan.BATCH_COST // (size + plan.OBJECT_COST))
    return [(size * in_batch, in_batch)] * (count // in_batch)


def simulate(found, workers, seconds, per_task):
    """The seconds until all workers have ended, and the number of tasks."""
    tasks = plan.tasks([size + count * plan.OBJECT_COST for size, count in found], workers)
    free = [0.0] * workers
    for task in tasks:
        took = per_task + sum(seconds(*found[index]) for index in task)
        heapq.heapreplace(free, free[0] + took)
    return max(free), len(tasks)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=1e9, help="bytes a second of one worker")
    parser.add_argument("--object", type=float, default=50e-6, help="seconds for each object")
    parser.add_argument("--task", type=float, default=0.05, help="seconds for each task")
    given = parser.parse_args()

    def seconds(size, count):
        return size / given.rate + count * given.object

    listings = {
        "2,000,000 objects, log-normal": list(batches(log_normal(2_000_000))),
        "the same and one of 5 TB, whole": list(batches([5e12, *log_normal(2_000_000)])),
        "the same, ETags of 8 MiB": list(batches([5e12, *log_normal(2_000_000)], 8 << 20)),
        "1,000,000,000 objects of 1 KiB": small(10**9, 1 << 10),
    }
    print("| listing | workers | tasks | seconds | of linear | longest object |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, found in listings.items():
        work = sum(seconds(*batch) for batch in found)
        longest = max(seconds(*batch) for batch in found)
        for workers in WORKERS:
            took, tasks = simulate(found, workers, seconds, given.task)
            of_linear = work / workers / took
            print(f"| {name} | {workers:,} | {tasks:,} | {took:,.0f} | {of_linear:.2f} |"
                  f" {longest:,.1f} |")


if __name__ == "__main__":
    main()
