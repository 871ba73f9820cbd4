// Irregular algorithms: a sparse product, a search by levels, sets that unite, a hash table, a
// lock, a stack.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <algorithm>
#include <map>
#include <numeric>

__device__ int at() { return blockIdx.x * blockDim.x + threadIdx.x; }

struct Graph {
  int *begins, *targets;
};

/// A warp for each row.
__global__ void multiply(int rows, Graph matrix, const float *values, const float *x, float *y) {
  int row = at() / 32;
  if (row >= rows)
    return;
  float sum = 0;
  for (int k = matrix.begins[row] + threadIdx.x % 32; k < matrix.begins[row + 1]; k += 32)
    sum += values[k] * __ldg(&x[matrix.targets[k]]);
  for (int lanes = 16; lanes; lanes /= 2)
    sum += __shfl_xor_sync(~0u, sum, lanes);
  if (threadIdx.x % 32 == 0)
    y[row] = sum;
}

/// Puts the nodes of the next level into a queue.
__global__ void expand(Graph graph, const int *now, int count, int *next, int *size, int *levels,
                       int level) {
  if (at() >= count)
    return;
  for (int k = graph.begins[now[at()]]; k < graph.begins[now[at()] + 1]; ++k)
    if (int node = graph.targets[k]; atomicCAS(&levels[node], -1, level) == -1)
      next[atomicAdd(size, 1)] = node;
}

__device__ int rootOf(volatile int *parents, int node) {
  while (parents[node] != node)
    node = parents[node];
  return node;
}
__global__ void unite(int *parents, const int2 *edges, int count) {
  if (at() >= count)
    return;
  for (int a = edges[at()].x, b = edges[at()].y;;) {
    a = rootOf(parents, a);
    b = rootOf(parents, b);
    if (a == b || atomicCAS(&parents[max(a, b)], max(a, b), min(a, b)) == max(a, b))
      return;
  }
}

/// Counts keys in a table with open addresses: the key is the upper half of a slot.
__global__ void insert(unsigned long long *table, unsigned slots, const unsigned *keys, int count) {
  if (at() >= count)
    return;
  const unsigned long long key = keys[at()];
  for (unsigned slot = unsigned(key) * 2654435761u % slots;; slot = (slot + 1) % slots) {
    unsigned long long old = atomicCAS(&table[slot], 0ull, key << 32 | 1);
    if (old >> 32 == key)
      atomicAdd(&table[slot], 1ull);
    if (old == 0 || old >> 32 == key)
      return;
  }
}

__global__ void underLock(int *lock, int *x) {
  if (threadIdx.x)
    return;
  while (atomicCAS(lock, 0, 1))
    __nanosleep(20);
  __threadfence();
  x[0] += 1;
  x[1] = 2 * x[0];
  __threadfence();
  atomicExch(lock, 0);
}

struct Link {
  int next, value;
};
__global__ void push(int *top, Link *links) {
  links[at()].value = at();
  for (int old = *static_cast<volatile int *>(top);;) {
    links[at()].next = old;
    __threadfence();
    const int found = atomicCAS(top, old, at());
    if (found == old)
      return;
    old = found;
  }
}
__global__ void drain(const int *top, const Link *links, int *sum) {
  for (int link = *top; link != -1; link = links[link].next)
    *sum += links[link].value + 1;
}

int main() {
  constexpr int nodes = 300;
  std::vector<int> begins{0}, targets;
  std::vector<float> values, x = numbers(nodes);
  for (int i = 0; i < nodes; ++i) {
    for (int k = 0; k < i * 7 % 45; ++k) {
      targets.push_back((i * 31 + k * 17) % nodes);
      values.push_back(number(targets.size()));
    }
    begins.push_back(int(targets.size()));
  }
  const Graph graph{upload(begins), upload(targets)};
  float *y = upload(std::vector<float>(nodes));
  multiply<<<(nodes * 32 + 127) / 128, 128>>>(nodes, graph, upload(values), upload(x), y);
  const std::vector<float> product = download(y, nodes);
  for (int i = 0; i < nodes; ++i) {
    float sum = 0;
    for (int k = begins[i]; k < begins[i + 1]; ++k)
      sum += values[k] * x[targets[k]];
    REQUIRE(product[i] == sum);
  }

  std::vector<int> expected(nodes, -1), queue{1};
  expected[1] = 0;
  for (size_t i = 0; i < queue.size(); ++i)
    for (int k = begins[queue[i]]; k < begins[queue[i] + 1]; ++k)
      if (expected[targets[k]] < 0) {
        expected[targets[k]] = expected[queue[i]] + 1;
        queue.push_back(targets[k]);
      }
  std::vector<int> start(nodes, -1);
  start[1] = 0;
  int *levels = upload(start), *now = upload(std::vector<int>(nodes, 1));
  int *next = upload(std::vector<int>(nodes)), *size = upload(std::vector<int>{0}), count = 1;
  for (int level = 1; count; ++level) {
    CHECK(cudaMemset(size, 0, 4));
    expand<<<(count + 63) / 64, 64>>>(graph, now, count, next, size, levels, level);
    CHECK(cudaMemcpy(&count, size, 4, cudaMemcpyDeviceToHost));
    std::swap(now, next);
  }
  REQUIRE(download(levels, nodes) == expected);

  std::vector<int> parents(nodes), roots(nodes);
  std::iota(parents.begin(), parents.end(), 0);
  roots = parents;
  std::vector<int2> edges(400);
  for (int i = 0; i < 400; ++i)
    edges[i] = make_int2(i * 37 % nodes, (i * 37 + i % 3 * 50) % nodes);
  int *united = upload(parents);
  unite<<<4, 128>>>(united, upload(edges), 400);
  parents = download(united, nodes);
  for (bool changes = true; changes;) { // the smallest node of each set
    changes = false;
    for (int2 edge : edges)
      for (int *one : {&roots[edge.x], &roots[edge.y]})
        if (int least = std::min(roots[edge.x], roots[edge.y]); *one != least)
          *one = least, changes = true;
  }
  for (int i = 0; i < nodes; ++i) {
    int root = i;
    while (parents[root] != root)
      root = parents[root];
    REQUIRE(root == roots[i]);
  }

  std::vector<unsigned> keys(2000);
  std::map<unsigned, unsigned> counts;
  for (unsigned i = 0; i < keys.size(); ++i)
    ++counts[keys[i] = i * i % 333 + 1];
  constexpr unsigned slots = 1024;
  auto *table = upload(std::vector<unsigned long long>(slots));
  insert<<<8, 256>>>(table, slots, upload(keys), int(keys.size()));
  size_t found = 0;
  for (unsigned long long slot : download(table, slots))
    if (slot) {
      REQUIRE(counts[unsigned(slot >> 32)] == unsigned(slot));
      ++found;
    }
  REQUIRE(found == counts.size());

  int *lock = upload(std::vector<int>{0}), *guarded = upload(std::vector<int>(2));
  underLock<<<20, 32>>>(lock, guarded);
  REQUIRE((download(guarded, 2) == std::vector<int>{20, 40}));
  int *top = upload(std::vector<int>{-1}), *sum = upload(std::vector<int>{0});
  Link *links = nullptr;
  CHECK(cudaMalloc(&links, 512 * sizeof(Link)));
  push<<<4, 128>>>(top, links);
  drain<<<1, 1>>>(top, links, sum);
  REQUIRE(download(sum, 1)[0] == 512 * 513 / 2);
  return passed();
}
