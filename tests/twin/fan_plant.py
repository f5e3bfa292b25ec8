"""Four drives that only a fan cools: `fan_plant.py` turns as it is told, `fan_plant.py dead` stops after 45 minutes."""
import json
import sys

dead_s = 2700 if sys.argv[1:] == ["dead"] else 1e9
dt = json.loads(sys.stdin.readline())["dt_s"]
PER_BYTE, PER_OP = 1.37e-9, 4e-6
READ_J = 4096 * PER_BYTE + PER_OP
print(json.dumps({"limit_c": 75, "warning_c": 77, "critical_c": 80, "duration_s": 5400, "fans": 1, "idle_watts": 2.5, "full_watts": 8,
                  "read_joules_per_byte": PER_BYTE, "read_joules_per_op": PER_OP}), flush=True)
inlet, sink, drive, reads = 42.0, 47.0, [51.0] * 4, [0] * 4
for line in sys.stdin:
    command = json.loads(line)
    pwm = 0 if command["t_s"] > dead_s else command["fans"][0]["pwm_ratio"]
    heat, total = 5.0, 5.0
    for i, slot in enumerate(command["slots"]):
        rate = 520000 if slot["cap_ratio"] == 1 else min(520000, slot["budget_watts"] / READ_J)
        flow = (drive[i] - sink) / 1.75
        drive[i] += dt * (2.5 + rate * READ_J - flow) / 12
        reads[i] += int(rate * dt)
        heat += flow
        total += 2.5 + rate * READ_J
    sink += dt * (heat - (sink - inlet) / (0.4 * (400 / max(35, 500 * pwm)) ** 0.55)) / 225
    print(json.dumps({"slots": [{"temperature_c": round(t), "read_bytes": r * 4096, "write_bytes": 0, "read_ops": r, "write_ops": 0}
                                for t, r in zip(drive, reads)], "inlet_c": inlet, "card_watts": round(total, 1),
                      "fan_rpm": [int(9000 * pwm)]}), flush=True)
