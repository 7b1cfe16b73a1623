"""HOLD and M/M/1 on SimPy, with callbacks on timeouts, which is its fastest way.

usage: engine.py hold|mm1 N COUNT DRAWS
prints the check and the nanoseconds of processor time
"""

import sys
import time

import simpy

model, n, count, name = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
with open(name) as f:
    draws = [int(line) for line in f]
size = len(draws) // 2
gaps, services = draws[:size], draws[size:]
mask = size - 1


class Hold:
    def __init__(self, env):
        self.env, self.drawn, self.left, self.end = env, 0, count, env.event()
        for _ in range(n):
            self.hold()

    def hold(self):
        self.drawn += 1
        self.env.timeout(gaps[self.drawn & mask]).callbacks.append(self.happen)

    def happen(self, _):
        self.hold()
        self.left -= 1
        if self.left == 0:
            self.end.succeed()

    def check(self):
        return self.env.now


class Station:
    def __init__(self, env):
        self.env, self.end = env, env.event()
        self.came, self.served, self.sum = [], 0, 0
        env.timeout(gaps[0]).callbacks.append(self.arrive)

    def arrive(self, _):
        self.came.append(self.env.now)
        arrived = len(self.came)
        if arrived < count:
            self.env.timeout(gaps[arrived & mask]).callbacks.append(self.arrive)
        if arrived - self.served == 1:
            self.env.timeout(services[self.served & mask]).callbacks.append(self.depart)

    def depart(self, _):
        self.sum += self.env.now - self.came[self.served]
        self.served += 1
        if len(self.came) > self.served:
            self.env.timeout(services[self.served & mask]).callbacks.append(self.depart)
        elif self.served == count:
            self.end.succeed()

    def check(self):
        return self.sum


env = simpy.Environment()
world = Hold(env) if model == "hold" else Station(env)
begin = time.process_time_ns()
env.run(until=world.end)
cpu = time.process_time_ns() - begin
print(world.check(), cpu)
