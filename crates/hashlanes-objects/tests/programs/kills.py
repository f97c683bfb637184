"""`hashlanes` is killed at random moments, and resumed: the manifest must be that of a run that
nobody disturbed."""

import os
import random
import signal
import time

from servers import fill, s3_environment, s3_url

BUCKET = "kills"


def check(tool):
    fill(tool, BUCKET, 600)
    chance = random.Random(tool.count)

    def command(manifest):
        return ["sum", "-r", "--resume", manifest, f"s3://{BUCKET}/"]

    def content(manifest):
        with open(os.path.join(tool.folder, manifest), "rb") as file:
            return file.read()

    begin, environment = time.monotonic(), s3_environment(s3_url())
    tool.run(*command("undisturbed"), environment=environment)
    taken = time.monotonic() - begin
    kills = manifests = 0
    while kills < tool.count:
        manifest = f"disturbed-{manifests}"
        # A run is killed a few times, then left to its end.
        for _ in range(chance.randint(1, 5)):
            process = tool.start(*command(manifest), environment=environment)
            time.sleep(chance.uniform(0, taken))
            if process.poll() is None:
                process.send_signal(chance.choice((signal.SIGINT, signal.SIGKILL)))
                kills += 1
            process.communicate()
        tool.run(*command(manifest), environment=environment)
        tool.same(content(manifest), content("undisturbed"), f"{manifest}, after {kills} kills")
        manifests += 1
    print(f"kills: {kills}, half of them interrupts; {manifests} manifests, all the same")
