"""Which objects are hashed together: ranges of objects in batches, and batches in tasks.

A task hashes its objects side by side in lanes. A large object is a batch of its own. If the format
allows it, as ETags of parts do, it is cut into ranges, which different workers hash.
"""

# What an object costs besides its bytes, in bytes that could have been hashed meanwhile.
OBJECT_COST = 64 << 10
# A batch has at most this cost, unless it is one object, and at most this number of objects.
BATCH_COST = 64 << 20
BATCH_OBJECTS = 1024
# A task has about this share of the work of one worker. The shorter the tasks, the less the others
# wait for the last one; the longer, the fuller the lanes.
TASKS_PER_WORKER = 16
# But it costs at least this, as Spark 4.3 itself needs 70 ms of CPU time for each task in Python.
LEAST_TASK_COST = 256 << 20
# A task never costs more than this, unless it is one object, as it may have to be repeated.
TASK_COST = 16 << 30


def cost(item):
    """What it costs to hash a range, in bytes."""
    return item.stop - item.start + OBJECT_COST


def ranges(objects, part_size):
    """Cuts objects into ranges of whole parts. Without a part size they stay whole."""
    for item in objects:
        if part_size is None or item.stop <= BATCH_COST:
            yield item
            continue
        step = max(BATCH_COST // part_size, 1) * part_size
        for start in range(0, item.size, step):
            yield item._replace(start=start, stop=min(start + step, item.size))


def batches(objects, part_size=None):
    """Groups objects into batches: lists of `Object`, each with its cost."""
    batch, total = [], 0
    for item in ranges(objects, part_size):
        added = cost(item)
        if added >= BATCH_COST:
            yield [item], added
            continue
        if len(batch) == BATCH_OBJECTS or total + added > BATCH_COST:
            yield batch, total
            batch, total = [], 0
        batch.append(item)
        total += added
    if batch:
        yield batch, total


def tasks(costs, workers):
    """Divides batches, of which only the costs matter here, into tasks: lists of their indexes.

    The longest task is first, as engines start tasks in order: what is short fills the gaps at the
    end.
    """
    target = min(max(sum(costs) // (workers * TASKS_PER_WORKER), LEAST_TASK_COST), TASK_COST)
    found = []
    for index in sorted(range(len(costs)), key=costs.__getitem__, reverse=True):
        if not found or found[-1][0] + costs[index] > target:
            found.append((0, []))
        total, task = found[-1]
        task.append(index)
        found[-1] = total + costs[index], task
    return [task for _, task in sorted(found, key=lambda one: one[0], reverse=True)]
