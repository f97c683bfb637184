"""What Spark and Ray have in common: objects are listed, divided into tasks, and hashed.

| module | contents |
|---|---|
| `stores` | files that all workers reach, and objects in S3: listing, reading, writing |
| `plan` | ranges of objects in batches, and batches in tasks of about the same cost |
| `hashing` | the digests of a task's objects, with bounded memory |
| `jobs` | the functions that an engine calls on its workers, and checkpoints |
| `manifest` | the columns of the results, ETags of parts, and manifests as text |
| `types` | the types of arguments that both have |

The engine decides which worker runs a task and when, and repeats the task if the worker is lost.
A task depends on nothing but its batches, which are fixed before the first one runs. So a task that
runs twice gives the same rows twice, of which the engine keeps one.
"""
