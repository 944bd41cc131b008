#include <selvage/base/diagnostic.h>
#include <selvage/frontend/npy.h>

#include <tests/support/counts.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

namespace selvage {
namespace {

class Npy : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("selvage-npy-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string put(const std::string& bytes) const {
    std::ofstream(path("a.npy"), std::ios::binary) << bytes;
    return path("a.npy");
  }
  std::string get(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Reads a file with this header, in format `version`, followed by `data`.
  Array read(const std::string& header, const std::string& data, int version = 1) const {
    std::string bytes = "\x93NUMPY";
    bytes += {static_cast<char>(version), '\0'};
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
      bytes += static_cast<char>(header.size() >> (8 * i) & 255);
    }
    return read_npy(put(bytes + header + data));
  }
  template <typename F>
  std::string said(F f) const {
    try {
      f();
    } catch (const BadInput& e) {
      std::string text = e.what();
      const std::size_t at = text.find(folder_.string() + "/");
      return at == 0 ? text.substr(folder_.string().size() + 1) : text;
    }
    return "accepted";
  }
  std::string refusal(const std::string& header, const std::string& data = "") const {
    return said([&] { read(header, data); });
  }

  std::filesystem::path folder_;
};

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

TEST_F(Npy, EveryTypeAndRankRoundTrips) {
  const std::vector<std::vector<std::int64_t>> shapes = {
      {}, {1}, {5}, {0}, {2, 3}, {3, 0, 2}, {2, 1, 3}, {2, 3, 2, 2}};
  for (int i = 0; i < 13; ++i) {
    for (const auto& shape : shapes) {
      Array a(static_cast<DataType>(i), shape);
      for (std::int64_t k = 0; k < a.size(); ++k) a.set_int(k, (k * 7 + 1) % 2);
      write_npy(path("a.npy"), a);
      if (a.type == DataType::BFloat16) a.type = DataType::UInt16;
      EXPECT_EQ(read_npy(path("a.npy")), a) << to_string(a.type) << " of rank " << shape.size();
    }
  }
}

TEST_F(Npy, WritesWhatNumPyWrites) {
  Array a(DataType::Float, {2, 3});
  a.set(5, 1.0);
  write_npy(path("a.npy"), a);
  std::string expected = "\x93NUMPY";
  expected += {1, 0, 118, 0};
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  expected.resize(127, ' ');
  expected += "\n" + std::string(22, '\0') + "\x80\x3f";
  EXPECT_EQ(get("a.npy"), expected);
}

TEST_F(Npy, ReadsAllVersionsKeyOrdersAndSpacings) {
  const std::string data("\1\0\2\0", 4);
  for (const char* text :
       {"{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n",
        "{'shape':(2,),'descr':'<i2','fortran_order':False}",
        "  { \"descr\" : \"<i2\" , \"shape\" : ( 2 , 1 , ) , 'fortran_order' : False }  \n"}) {
    for (const int version : {1, 2, 3}) {
      const Array a = read(text, data, version);
      EXPECT_EQ(a.type, DataType::Int16);
      EXPECT_EQ(a.get_int(1), 2);
    }
  }
}

TEST_F(Npy, FortranOrderIsTransposed) {
  const std::string data{0, 1, 2, 3, 4, 5};
  const Array a = read(header("|u1", "(2, 3)", true), data);
  std::vector<std::int64_t> values;
  for (int k = 0; k < 6; ++k) values.push_back(a.get_int(k));
  EXPECT_EQ(a.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(values, (std::vector<std::int64_t>{0, 2, 4, 1, 3, 5}));
}

TEST_F(Npy, FortranOrderOfRankThree) {
  std::string data;
  for (char c = 0; c < 24; ++c) data += c;
  const Array a = read(header("|i1", "(2, 3, 4)", true), data);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) EXPECT_EQ(a.get_int((i * 3 + j) * 4 + k), i + 2 * (j + 3 * k));
    }
  }
  EXPECT_EQ(read(header("<f4", "(0, 3)", true), "").size(), 0);
  EXPECT_EQ(read(header("|i1", "()", true), "x").get_int(0), 'x');
}

// By parts: the last axis of what is read, and of what is written.
TEST_F(Npy, ComplexArraysAreReadAndWrittenByParts) {
  Array z(DataType::Float, {2, 3, 2});
  for (std::int64_t k = 0; k < z.size(); ++k) z.set(k, double(k));
  write_npy(path("z.npy"), z, true);
  const std::string bytes = get("z.npy");
  EXPECT_NE(bytes.find("{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3), }"), bytes.npos);
  EXPECT_EQ(read_npy(path("z.npy")).shape, z.shape);
  EXPECT_EQ(read_npy(path("z.npy")).bytes, z.bytes);
  const std::string data(reinterpret_cast<const char*>(z.bytes.data()), z.bytes.size());
  const Array turned = read(header("<c8", "(3, 2)", true), data);
  EXPECT_EQ(turned.shape, (std::vector<std::int64_t>{3, 2, 2}));
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 2; ++j) {
      for (std::int64_t part = 0; part < 2; ++part) {
        EXPECT_EQ(turned.get((i * 2 + j) * 2 + part), double((j * 3 + i) * 2 + part));
      }
    }
  }
  const Array one = read(header("<c16", "()"), std::string(16, '\0'));
  EXPECT_EQ(one.type, DataType::Double);
  EXPECT_EQ(one.shape, (std::vector<std::int64_t>{2}));
}

TEST_F(Npy, BoolsAreZeroOrOne) {
  const Array a = read(header("|b1", "(3,)"), {0, 1, 2});
  EXPECT_EQ(a.bytes, (std::vector<std::byte>{std::byte{0}, std::byte{1}, std::byte{1}}));
}

TEST_F(Npy, WhatIsNoNpyIsRefused) {
  const auto file = [&](const std::string& bytes) { return said([&] { read_npy(put(bytes)); }); };
  const std::string no_magic =
      "a.npy: error[E602]: not a .npy file: it does not begin with \\x93NUMPY; help: save the "
      "array with numpy.save";
  EXPECT_EQ(file(""), no_magic);
  EXPECT_EQ(file("PK\3\4 a zip file"), no_magic);
  EXPECT_EQ(file(std::string("\x93NUMPY\4\0\0\0", 10)),
            "a.npy: error[E602]: version 4.0 of the .npy format is not known; help: save the array "
            "in version 1.0, 2.0 or 3.0");
  EXPECT_EQ(file(std::string("\x93NUMPY\1\0\x50", 9)),
            "a.npy: error[E602]: the .npy header stops short; help: save the array again with "
            "numpy.save");
  EXPECT_EQ(file(std::string("\x93NUMPY\1\0\x50\0{'descr'", 18)),
            "a.npy: error[E602]: the .npy header stops short; help: save the array again with "
            "numpy.save");
  EXPECT_EQ(file(std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13)),
            "a.npy: error[E602]: bad .npy header: it is 4294967295 bytes long; help: save the "
            "array again with numpy.save");
}

TEST_F(Npy, OtherTypesAreRefusedByName) {
  EXPECT_EQ(refusal(header(">f4", "(1,)"), "1234"),
            "a.npy: error[E602]: the type '>f4' is big-endian; help: save it little-endian: "
            "a.astype('<f4')");
  EXPECT_EQ(refusal(header("<M8", "(1,)"), "12345678"),
            "a.npy: error[E602]: the type '<M8' is not supported; help: use bool, int8 to int64, "
            "uint8 to uint64, float16 to float64, complex64 or complex128");
  EXPECT_EQ(refusal("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234"),
            "a.npy: error[E602]: bad .npy header: structured types cannot be read; help: save the "
            "array again with numpy.save");
}

TEST_F(Npy, BadShapesAreRefused) {
  const auto why = [&](const std::string& shape) {
    const std::string text = refusal(header("<f4", shape), "1234");
    const std::string head = "a.npy: error[E602]: ";
    EXPECT_EQ(text.substr(0, head.size()), head);
    return text.substr(head.size(), text.find("; help") - head.size());
  };
  EXPECT_EQ(why("(-1,)"), "bad .npy header: a negative extent");
  EXPECT_EQ(why("(99999999999999999999,)"),
            "bad .npy header: an extent that does not fit in 64 bits");
  EXPECT_EQ(why("(1.0,)"), "bad .npy header: expected ',', found '.'");
  EXPECT_EQ(why("(x,)"), "bad .npy header: an extent that is not an integer");
  EXPECT_EQ(why("(1)"), "bad .npy header: the shape is not a tuple");
  EXPECT_EQ(why("1"), "bad .npy header: expected '(', found '1'");
  EXPECT_EQ(why("(1 2)"), "bad .npy header: expected ',', found '2'");
  EXPECT_EQ(why("(4611686018427387904, 4611686018427387904)"),
            "the header promises more than 2^63 bytes of data, but 4 follow");
  EXPECT_EQ(why("(1000000000000,)"),
            "the header promises 4000000000000 bytes of data, but 4 follow");
  EXPECT_EQ(why("(2,)"), "the header promises 8 bytes of data, but 4 follow");
  EXPECT_EQ(why("(0,)"), "the header promises 0 bytes of data, but 4 follow");
}

TEST_F(Npy, BadHeadersAreRefused) {
  const auto why = [&](const std::string& text) {
    const std::string all = refusal(text);
    const std::string head = "a.npy: error[E602]: bad .npy header: ";
    EXPECT_EQ(all.substr(0, head.size()), head);
    return all.substr(head.size(), all.find("; help") - head.size());
  };
  EXPECT_EQ(why(""), "expected '{', found its end");
  EXPECT_EQ(why("{}"), "'descr', 'fortran_order' or 'shape' is missing");
  EXPECT_EQ(why("{'descr': '<f4', 'descr': '<f4'}"), "the key 'descr' stands twice");
  EXPECT_EQ(why("{'evil': 1}"), "unknown key 'evil'");
  EXPECT_EQ(why("{'descr': '<f4"), "a quote is not closed");
  EXPECT_EQ(why("{'fortran_order': 0}"), "'fortran_order' is neither True nor False");
  EXPECT_EQ(why(header("<f4", "()") + "x"), "text follows the dictionary");
  std::string axes;
  for (int i = 0; i < 65; ++i) axes += "1,";
  EXPECT_EQ(why(header("<f4", "(" + axes + ")")), "more than 64 axes");
}

TEST_F(Npy, FilesThatCannotBeReadAreRefused) {
  EXPECT_EQ(said([&] { read_npy(path("none.npy")); }),
            "none.npy: error[E602]: cannot read the array: No such file or directory; help: name a "
            ".npy file that can be read");
  EXPECT_EQ(said([&] { read_npy("/dev/zero"); }),
            "/dev/zero: error[E602]: cannot read the array: it is not a regular file; help: name a "
            ".npy file that can be read");
}

TEST_F(Npy, FilesThatCannotBeWrittenAreRefusedAndLeaveNothing) {
  const Array a(DataType::Float, {2});
  EXPECT_EQ(said([&] { write_npy(path("none/a.npy"), a); }),
            "none/a.npy: error[E603]: cannot write the array: No such file or directory; help: "
            "name a file in a directory that exists and can be written to");
  std::filesystem::create_directory(path("d"));
  EXPECT_EQ(said([&] { write_npy(path("d"), a); }),
            "d: error[E603]: cannot write the array: it is a directory; help: name a file in a "
            "directory that exists and can be written to");
  std::filesystem::remove(path("d"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Npy, ADeviceIsWrittenToAndNotReplaced) {
  const Array a(DataType::Float, {2});
  write_npy("/dev/null", a);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "[SKIP no /dev/full]";
  EXPECT_EQ(said([&] { write_npy("/dev/full", a); }),
            "/dev/full: error[E603]: cannot write the array: No space left on device; help: name a "
            "file in a directory that exists and can be written to");
}

TEST_F(Npy, ALinkKeepsPointingAtTheFile) {
  put("old");
  std::filesystem::create_symlink("a.npy", path("link.npy"));
  write_npy(path("link.npy"), Array(DataType::Int8, {3}));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ(read_npy(path("a.npy")).size(), 3);
}

// Flipped, lost and added bytes give an array or a refusal, nothing else.
TEST_F(Npy, DamagedFilesAreReadOrRefused) {
  Array a(DataType::Int16, {3, 4});
  for (int k = 0; k < 12; ++k) a.set_int(k, k);
  write_npy(path("a.npy"), a);
  const std::string good = get("a.npy");
  std::mt19937 random(5);
  int accepted = 0;
  const int cases = count(2000, 20000);
  for (int i = 0; i < cases; ++i) {
    std::string bytes = good;
    for (unsigned k = 1 + random() % 3; k > 0; --k) {
      const std::size_t at = random() % 80;
      switch (random() % 4) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes[at] ^= static_cast<char>(1U << random() % 8); break;
        case 2: bytes.erase(at, 1); break;
        default: bytes.insert(at, 1, "()-,'09<>{}"[random() % 11]); break;
      }
    }
    const std::string answer = said([&] { read_npy(put(bytes)); });
    if (answer == "accepted") {
      ++accepted;
    } else {
      ASSERT_EQ(answer.substr(0, 19), "a.npy: error[E602]:");
    }
  }
  EXPECT_LT(accepted, cases / 2);
}

}  // namespace
}  // namespace selvage
