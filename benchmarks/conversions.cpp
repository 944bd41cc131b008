// The time to convert matrices on the host, ours beside Eigen's where its headers are installed
// (scripts/setup peers) and it has the same format: both with indices of 64 bits and doubles.
#include <benchmark/benchmark.h>
#include <selvage/base/random.h>
#include <selvage/base/stored_matrix.h>

#if __has_include(<eigen3/Eigen/SparseCore>)
#include <eigen3/Eigen/SparseCore>
#define SELVAGE_HAVE_EIGEN 1
#endif

namespace selvage {
namespace {

// 2^16 rows of 16 items on average, in the order in which they were drawn.
const CoordinateMatrix& drawn() {
  static const CoordinateMatrix matrix = [] {
    constexpr std::int64_t kRows = 1 << 16;
    CoordinateMatrix m{.rows = kRows, .columns = kRows, .row = {}, .column = {}, .value = {}};
    SplitMix64 random(1);
    for (std::int64_t k = 0; k < 16 * kRows; ++k) {
      m.row.push_back(std::int64_t(random.next() % kRows));
      m.column.push_back(std::int64_t(random.next() % kRows));
      m.value.push_back(double(k));
    }
    return m;
  }();
  return matrix;
}

void coordinates_to(benchmark::State& state, StorageFormat format) {
  for (auto _ : state) benchmark::DoNotOptimize(stored(drawn(), format));
}
void converted_to(benchmark::State& state, StorageFormat from, StorageFormat to) {
  const StoredMatrix matrix = stored(drawn(), from);
  for (auto _ : state) benchmark::DoNotOptimize(converted(matrix, to));
}
constexpr StorageFormat kCsr{StorageKind::Csr}, kCsc{StorageKind::Csc}, kCoo{StorageKind::Coo};
BENCHMARK_CAPTURE(coordinates_to, csr, kCsr)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(converted_to, csr_to_csc, kCsr, kCsc)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(converted_to, csc_to_csr, kCsc, kCsr)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(converted_to, csr_to_coo, kCsr, kCoo)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(converted_to, csr_to_ell, kCsr, StorageFormat{StorageKind::Ell})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(converted_to, csr_to_sell, kCsr, (StorageFormat{StorageKind::Sell, 64}))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(converted_to, csr_to_bcsr, kCsr, (StorageFormat{StorageKind::Bcsr, 4, 4}))
    ->Unit(benchmark::kMillisecond);

#ifdef SELVAGE_HAVE_EIGEN
using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>;
using Columns = Eigen::SparseMatrix<double, Eigen::ColMajor, std::int64_t>;

std::vector<Eigen::Triplet<double, std::int64_t>> triplets() {
  const CoordinateMatrix& m = drawn();
  std::vector<Eigen::Triplet<double, std::int64_t>> list;
  for (std::size_t k = 0; k < m.items(); ++k) {
    list.emplace_back(m.row[k], m.column[k], m.value[k]);
  }
  return list;
}
Rows rows() {
  const auto list = triplets();
  Rows made(drawn().rows, drawn().columns);
  made.setFromTriplets(list.begin(), list.end());
  return made;
}

void eigen_coordinates_to_csr(benchmark::State& state) {
  const auto list = triplets();
  for (auto _ : state) {
    Rows made(drawn().rows, drawn().columns);
    made.setFromTriplets(list.begin(), list.end());
    benchmark::DoNotOptimize(made.valuePtr());
  }
}
BENCHMARK(eigen_coordinates_to_csr)->Unit(benchmark::kMillisecond);

void eigen_csr_to_csc(benchmark::State& state) {
  const Rows from = rows();
  for (auto _ : state) {
    const Columns made(from);
    benchmark::DoNotOptimize(made.valuePtr());
  }
}
BENCHMARK(eigen_csr_to_csc)->Unit(benchmark::kMillisecond);

void eigen_csc_to_csr(benchmark::State& state) {
  const Columns from(rows());
  for (auto _ : state) {
    const Rows made(from);
    benchmark::DoNotOptimize(made.valuePtr());
  }
}
BENCHMARK(eigen_csc_to_csr)->Unit(benchmark::kMillisecond);

void eigen_csr_to_coordinates(benchmark::State& state) {
  const Rows from = rows();
  for (auto _ : state) {
    std::vector<Eigen::Triplet<double, std::int64_t>> list;
    list.reserve(std::size_t(from.nonZeros()));
    for (std::int64_t r = 0; r < from.outerSize(); ++r) {
      for (Rows::InnerIterator item(from, r); item; ++item) {
        list.emplace_back(item.row(), item.col(), item.value());
      }
    }
    benchmark::DoNotOptimize(list.data());
  }
}
BENCHMARK(eigen_csr_to_coordinates)->Unit(benchmark::kMillisecond);
#endif

}  // namespace
}  // namespace selvage
