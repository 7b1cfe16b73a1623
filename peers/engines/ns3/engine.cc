// HOLD and M/M/1 on the core of ns-3.
//
// usage: engine hold|mm1 N COUNT DRAWS SCHEDULER
// prints the check and the nanoseconds of processor time

#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using ns3::NanoSeconds;
using ns3::Simulator;

static std::vector<int64_t> gaps, services;
static uint64_t mask, drawn, arrived, served;
static int64_t count, check;
static std::vector<int64_t> waiting(1 << 16);

static void Hold() {
  Simulator::Schedule(NanoSeconds(gaps[++drawn & mask]), &Hold);
  if (--count == 0) {
    check = Simulator::Now().GetNanoSeconds();
    Simulator::Stop();
  }
}

static void Depart() {
  check += Simulator::Now().GetNanoSeconds() - waiting[served & (waiting.size() - 1)];
  if (arrived > ++served) Simulator::Schedule(NanoSeconds(services[served & mask]), &Depart);
}

static void Arrive() {
  waiting[arrived & (waiting.size() - 1)] = Simulator::Now().GetNanoSeconds();
  if (++arrived < static_cast<uint64_t>(count)) Simulator::Schedule(NanoSeconds(gaps[arrived & mask]), &Arrive);
  if (arrived - served == 1) Simulator::Schedule(NanoSeconds(services[served & mask]), &Depart);
}

static int64_t Cpu() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::string model = argv[1];
  const int64_t n = std::atoll(argv[2]);
  count = std::atoll(argv[3]);
  std::ifstream file(argv[4]);
  for (int64_t x; file >> x;) gaps.push_back(x);
  services.assign(gaps.begin() + gaps.size() / 2, gaps.end());
  gaps.resize(gaps.size() / 2);
  mask = gaps.size() - 1;

  ns3::ObjectFactory scheduler;
  scheduler.SetTypeId(std::string("ns3::") + argv[5] + "Scheduler");
  Simulator::SetScheduler(scheduler);
  if (model == "hold") {
    for (int64_t i = 0; i < n; i++) Simulator::Schedule(NanoSeconds(gaps[++drawn & mask]), &Hold);
  } else {
    Simulator::Schedule(NanoSeconds(gaps[0]), &Arrive);
  }
  const int64_t begin = Cpu();
  Simulator::Run();
  const int64_t cpu = Cpu() - begin;
  std::cout << check << " " << cpu << std::endl;
  std::_Exit(0);  // without taking down what is pending
}
