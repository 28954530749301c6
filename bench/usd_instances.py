"""Opens a USD stage once and makes the matrices of all its instances; prints `wall_s cpu_s answer`.

    python bench/usd_instances.py FILE.usdc

The times are of usd-core inside the process: opening the stage, going through its prims, and the
matrix of each instance of each PointInstancer.
"""

import sys
import time

from pxr import Usd, UsdGeom

wall, cpu = time.perf_counter(), time.process_time()
stage = Usd.Stage.Open(sys.argv[1])
now = Usd.TimeCode.Default()
count = 0
for prim in stage.TraverseAll():
    if prim.IsA(UsdGeom.PointInstancer):
        matrices = UsdGeom.PointInstancer(prim).ComputeInstanceTransformsAtTime(now, now)
        count += len(matrices)
print(time.perf_counter() - wall, time.process_time() - cpu, f"{count} instances")
