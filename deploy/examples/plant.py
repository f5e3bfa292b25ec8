#!/usr/bin/env python3
"""A small thermal plant for `elementd simulate --plant`: four drives on one heatsink, one line of JSON per step.

    elementd simulate --card element-aic --plant 'python3 plant.py' --json

Replace the few lines of physics by your own model; plant.md describes what is exchanged.
"""
import json
import sys

SLOTS, DURATION_S = 4, 3600
INLET_C, AIRFLOW_LFM, SWITCH_W = 50.0, 400.0, 5.0
IDLE_W, FULL_W = 2.5, 8.0
READ_J_PER_BYTE, WRITE_J_PER_BYTE, READ_J_PER_OP, WRITE_J_PER_OP = 1.37e-9, 3.0e-9, 4.0e-6, 2.08e-5
DEMAND_WRITES, BLOCK = 166000, 4096  # wanted by each drive's users, per second


def answer(message):
    print(json.dumps(message), flush=True)


hello = json.loads(sys.stdin.readline())
dt = hello["dt_s"]
answer({"slots": SLOTS, "limit_c": 75, "warning_c": 77, "critical_c": 80, "idle_watts": IDLE_W, "full_watts": FULL_W, "duration_s": DURATION_S,
        "read_joules_per_byte": READ_J_PER_BYTE, "write_joules_per_byte": WRITE_J_PER_BYTE,
        "read_joules_per_op": READ_J_PER_OP, "write_joules_per_op": WRITE_J_PER_OP})

sink = INLET_C + 5
drive = [sink + 4] * SLOTS
writes = [0] * SLOTS
write_j = BLOCK * WRITE_J_PER_BYTE + WRITE_J_PER_OP
for line in sys.stdin:
    command = json.loads(line)
    heat, total = 0.0, SWITCH_W
    for i, slot in enumerate(command["slots"]):
        rate = DEMAND_WRITES
        if slot["cap_ratio"] < 1:
            rate = min(rate, slot["budget_watts"] / write_j)
        power = IDLE_W + rate * write_j
        flow = (drive[i] - sink) / 1.75
        drive[i] += dt * (power - flow) / 12
        writes[i] += int(rate * dt)
        heat += flow
        total += power
    sink += dt * (heat + SWITCH_W - (sink - INLET_C) / (0.4 * (400 / AIRFLOW_LFM) ** 0.55)) / 225
    answer({"slots": [{"temperature_c": round(drive[i]), "sensors_c": [], "read_bytes": 0, "write_bytes": writes[i] * BLOCK,
                       "read_ops": 0, "write_ops": writes[i]} for i in range(SLOTS)],
            "inlet_c": INLET_C, "airflow_lfm": AIRFLOW_LFM, "card_watts": round(total, 1), "switch_c": round(sink + 14), "fan_rpm": []})
