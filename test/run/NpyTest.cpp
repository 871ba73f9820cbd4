// .npy files: bytes that numpy 1.24 wrote, headers by hand, and every sentence about bad ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Npy.h"

#include "test/run/Check.h"

#include <cstring>
#include <filesystem>

using namespace tessera;
using namespace tessera::run;
using namespace std::string_literals;

namespace {

std::string operator*(std::string_view text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i)
    out += text;
  return out;
}

/// A file of some version with this dict, unpadded, and these data.
std::string file(std::string dict, std::string_view data = "", char major = 1, char minor = 0) {
  dict += '\n';
  std::string length;
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    length += char(dict.size() >> (8 * i));
  return cat("\x93NUMPY", major, minor, length, dict, data);
}
std::string dict(std::string_view descr, std::string_view shape, std::string_view order = "False") {
  return cat("{'descr': ", descr, ", 'fortran_order': ", order, ", 'shape': ", shape, ", }");
}
Result<NpyArray> parse(std::string_view text) { return parseNpy(bytesOf(text)); }
std::string refused(std::string_view text) { return refusal(parse(text)); }
std::string dataOf(const NpyArray &array) {
  return std::string(reinterpret_cast<const char *>(array.data.data()), array.data.size());
}

/// What numpy.save of numpy 1.24.2 wrote for an array, and what the array was.
struct Sample {
  std::string bytes;
  const char *type;
  std::vector<int64_t> shape;
  bool fortranOrder;
  std::string data;
};
std::vector<Sample> samples() {
  using namespace std::string_literals;
  const std::string start = "\x93NUMPY\x01\x00\x76\x00"s; // version 1.0, 118 bytes of header
  std::vector<Sample> out = {
      // np.array([[1, 2, 3], [4, 5, 6]], dtype='<f4')
      {start + "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" + " "s * 58 + "\n",
       "f4",
       {2, 3},
       false,
       "\x00\x00\x80?\x00\x00\x00@\x00\x00@@\x00\x00\x80@\x00\x00\xa0@\x00\x00\xc0@"s},
      // np.asfortranarray(np.array([[1, 2, 3], [4, 5, 6]], dtype='<i2'))
      {start + "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }" + " "s * 59 + "\n",
       "i2",
       {2, 3},
       true,
       "\x01\x00\x04\x00\x02\x00\x05\x00\x03\x00\x06\x00"s},
      // np.array(7, dtype='<i8')
      {start + "{'descr': '<i8', 'fortran_order': False, 'shape': (), }" + " "s * 62 + "\n",
       "i8",
       {},
       false,
       "\x07\x00\x00\x00\x00\x00\x00\x00"s},
      // np.array([True, False, True])
      {start + "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }" + " "s * 60 + "\n",
       "b1",
       {3},
       false,
       "\x01\x00\x01"s},
      // np.zeros((0, 3), dtype='<f8')
      {start + "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }" + " "s * 58 + "\n",
       "f8",
       {0, 3},
       false,
       ""s},
      // np.array([1.5], dtype='<f2')
      {start + "{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }" + " "s * 60 + "\n",
       "f2",
       {1},
       false,
       "\x00>"s},
  };
  for (Sample &sample : out)
    sample.bytes += sample.data;
  return out;
}

NpyArray arrayOf(const Sample &sample) { return must(parse(sample.bytes)); }

} // namespace

TEST(Npy, ReadsWhatNumpyWrote) {
  for (const Sample &sample : samples()) {
    NpyArray array = arrayOf(sample);
    EXPECT_EQ(str(array.type), sample.type);
    EXPECT_EQ(array.shape, sample.shape);
    EXPECT_EQ(array.fortranOrder, sample.fortranOrder);
    EXPECT_EQ(dataOf(array), sample.data);
  }
}

TEST(Npy, WritesTheBytesOfNumpy) {
  for (const Sample &sample : samples()) {
    NpyArray array = arrayOf(sample);
    EXPECT_EQ(npyHeader(array) + dataOf(array), sample.bytes);
    EXPECT_EQ(npyHeader(array).size() % 64, 0u);
  }
}

// numpy leaves room for the extent along which a file would grow: 21 digits of the first one, or of
// the last in Fortran order. The sizes are those of numpy.lib.format.write_array_header_1_0.
TEST(Npy, LeavesTheRoomThatNumpyLeaves) {
  NpyArray array;
  array.type = {NpyKind::Int, 1};
  array.shape.assign(13, 1);
  array.shape.back() = 1000000000000000;
  EXPECT_EQ(npyHeader(array).size(), 192u);
  array.fortranOrder = true;
  EXPECT_EQ(npyHeader(array).size(), 128u);
  std::swap(array.shape.front(), array.shape.back());
  EXPECT_EQ(npyHeader(array).size(), 192u);
}

TEST(Npy, FilesRoundTrip) {
  std::string path = testing::TempDir() + "tessera_npy_test.npy";
  for (const Sample &sample : samples()) {
    ASSERT_TRUE(writeNpy(path, arrayOf(sample)));
    EXPECT_EQ(dataOf(must(readNpy(path))), sample.data);
  }
  std::filesystem::remove(path);
}

TEST(Npy, Versions) {
  std::string_view data("\x01\x02", 2);
  for (auto [major, minor] : {std::pair<char, char>(1, 0), {2, 0}, {3, 0}})
    EXPECT_EQ(dataOf(must(parse(file(dict("'|u1'", "(2,)"), data, major, minor)))), data);
  EXPECT_EQ(refused(file(dict("'|u1'", "(2,)"), data, 1, 1)),
            "unknown .npy version 1.1: expects 1.0, 2.0 or 3.0");
  EXPECT_EQ(refused(file(dict("'|u1'", "(2,)"), data, 4, 0)),
            "unknown .npy version 4.0: expects 1.0, 2.0 or 3.0");
}

TEST(Npy, LongHeadersAreWrittenInVersion2) {
  NpyArray array;
  array.type = {NpyKind::Int, 1};
  array.shape.assign(30000, 1);
  array.data = must(Bytes::zeros(1));
  std::string text = npyHeader(array) + dataOf(array);
  EXPECT_EQ(text[6], 2);
  EXPECT_EQ(must(parse(text)).shape.size(), 30000u);
}

TEST(Npy, ElementTypes) {
  const std::pair<const char *, const char *> types[] = {
      {"'<f2'", "f2"}, {"'<f4'", "f4"}, {"'<f8'", "f8"},   {"'|i1'", "i1"}, {"'<i2'", "i2"},
      {"'<i4'", "i4"}, {"'<i8'", "i8"}, {"'|u1'", "u1"},   {"'<u2'", "u2"}, {"'<u4'", "u4"},
      {"'<u8'", "u8"}, {"'|b1'", "b1"}, {"'|V1'", "V1"},   {"'|V2'", "V2"}, {"'<V2'", "V2"},
      {"'<V1'", "V1"}, {"'<f1'", "V1"}, {"\"<f4\"", "f4"}, {"'=f4'", "f4"}, {"'i1'", "i1"},
      {"'>i1'", "i1"}};
  for (auto [descr, type] : types)
    EXPECT_EQ(str(must(parse(file(dict(descr, "(1,)"), " "s * 8))).type), type) << descr;
}

TEST(Npy, OtherElementTypesAreRefused) {
  EXPECT_EQ(refused(file(dict("'<c8'", "(1,)"))),
            "unsupported .npy element type '<c8': expects one of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 "
            "b1 V1 V2");
  for (const char *descr : {"'<U4'", "'|S3'", "'<M8[ns]'", "'<V4'", "'<f16'", "''", "'<'", "'f3'"})
    EXPECT_NE(refused(file(dict(descr, "(1,)"))).find("unsupported .npy element type"),
              std::string::npos)
        << descr;
  EXPECT_EQ(refused(file(dict("'>f4'", "(1,)"))),
            "expects little-endian elements, but this .npy file has '>f4'; save "
            "a.astype(a.dtype.newbyteorder(\"<\"))");
  EXPECT_EQ(refused(file(dict("'|O'", "(1,)"))),
            "expects an array of numbers, but this .npy file has Python objects ('|O'), which are "
            "not read; save a.astype(...)");
  EXPECT_EQ(refused(file(dict("[('x', '<f4'), ('y', '<i4')]", "(1,)"))),
            "expects an array of numbers, but this .npy file has records: [('x', '<f4'), ('y', "
            "'<i4')]; save one field, e.g. np.save(\"x.npy\", a[\"x\"])");
}

TEST(Npy, HeaderSpellings) {
  // Any order of keys, no trailing comma, no blanks, double quotes, Python 2's long integers.
  for (const char *text : {"{'shape': (2, 1), 'fortran_order': True, 'descr': '|u1'}",
                           "{\"descr\":\"|u1\",\"fortran_order\":True,\"shape\":(2,1)}",
                           "{'descr': '|u1', 'fortran_order': True, 'shape': (2L, 1L), }   \n"}) {
    NpyArray array = must(parse(file(text, "ab")));
    EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 1}));
    EXPECT_TRUE(array.fortranOrder);
  }
}

TEST(Npy, MalformedHeadersAreRefused) {
  struct Row {
    std::string text;
    const char *sentence; // after "malformed .npy header: "
    const char *id = "NpyMalformed";
  };
  const Row rows[] = {
      {"hello", "expects a dict, which begins with { at byte 0 of the header, but got \"hello\""},
      {"", "expects a dict, which begins with { at byte 0 of the header, but got the end"},
      {"{descr: 1}", "expects a key in quotes at byte 1 of the header, but got \"descr: 1}\""},
      {"{'descr' '<f4'}", "expects : at byte 9 of the header, but got \"'<f4'}\""},
      {"{'descr': 4}",
       "expects a type in quotes, such as '<f4' at byte 10 of the header, but got \"4}\""},
      {"{'descr': '<f4", "expects a type in quotes, such as '<f4' at byte 10 of the header, but "
                         "got \"'<f4\""},
      {"{'fortran_order': 0}", "expects True or False at byte 18 of the header, but got \"0}\""},
      {"{'shape': 3}",
       "expects a tuple of extents, such as (2, 3) at byte 10 of the header, but got \"3}\""},
      {"{'shape': (3)}", "expects a tuple: one extent is written with a comma, such as (3,) at "
                         "byte 13 of the header, but got \"}\""},
      {"{'shape': (3 4)}", "expects , or ) at byte 13 of the header, but got \"4)}\""},
      {"{'shape': (x,)}", "expects an extent at byte 11 of the header, but got \"x,)}\""},
      {"{'shape': (1,", "expects an extent at byte 13 of the header, but got the end"},
      {"{'shape': (2, -3)}", "an extent of the shape is -3", "NpyExtent"},
      {"{'shape': (99999999999999999999,)}", "an extent of the shape does not fit 64 bits",
       "NpyExtent"},
      {"{'shape': (1,) 'descr': '<f4'}",
       "expects , or } at byte 15 of the header, but got \"'descr': '<f4'}\""},
      {"{'color': 1}",
       "expects the keys descr, fortran_order and shape once each, but got \"color\"", "NpyKey"},
      {"{'descr': '<f4', 'descr': '<f4'}",
       "expects the keys descr, fortran_order and shape once each, but got \"descr\"", "NpyKey"},
      {"{'descr': '<f4'} x", "expects nothing after the closing } at byte 17 of the header, but "
                             "got \"x\""},
      {"{}", "the key descr is missing", "NpyMissing"},
      {"{'descr': '<f4', 'shape': (1,)}", "the key fortran_order is missing", "NpyMissing"},
      {"{'descr': '<f4', 'fortran_order': False}", "the key shape is missing", "NpyMissing"}};
  for (const Row &row : rows) {
    EXPECT_EQ(refused(file(row.text)), cat("malformed .npy header: ", row.sentence)) << row.text;
    EXPECT_EQ(parse(file(row.text)).reason().id, row.id) << row.text;
  }
}

TEST(Npy, TruncatedFilesAreRefused) {
  std::string whole = samples()[0].bytes;
  EXPECT_EQ(refused(""), "not a .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(parse("").reason().id, "NpyMagic");
  EXPECT_EQ(refused("PK\x03\x04"), "not a .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(refused(whole.substr(0, 4)),
            "truncated .npy file: its header ends at byte 8, but the file at byte 4");
  EXPECT_EQ(refused(whole.substr(0, 9)),
            "truncated .npy file: its header ends at byte 10, but the file at byte 9");
  EXPECT_EQ(refused(whole.substr(0, 100)),
            "truncated .npy file: its header ends at byte 128, but the file at byte 100");
  EXPECT_EQ(refused(whole.substr(0, 151)), "truncated .npy file: the shape (2, 3) of f4 needs 24 "
                                           "bytes of data, but the file has 23");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse(whole.substr(0, size))) << size;
  EXPECT_TRUE(parse(whole + "more")); // numpy ignores it too
}

TEST(Npy, OverflowingShapesAreRefused) {
  EXPECT_EQ(refused(file(dict("'|u1'", "(4294967296, 4294967296)"))),
            "the shape (4294967296, 4294967296) has more than 2^63 - 1 elements or bytes");
  EXPECT_EQ(refused(file(dict("'<f8'", "(2305843009213693952,)"))),
            "the shape (2305843009213693952) has more than 2^63 - 1 elements or bytes");
  EXPECT_EQ(must(parse(file(dict("'<f8'", "(0, 9223372036854775807, 2)")))).data.size(), 0u);
}

TEST(Npy, RandomBytesNeverPassUnnoticed) {
  std::mt19937_64 random = generator();
  std::string whole = samples()[0].bytes;
  for (int i = 0; i < 20000; ++i) {
    std::string text = whole;
    for (int change = 0; change < 3; ++change)
      text[random() % 70] = char(random());
    if (Result<NpyArray> array = parse(text)) { // then it is as large as its shape says
      EXPECT_EQ(array->data.size(),
                size_t(must(elementCount(array->shape))) * size_t(array->type.bytes));
    }
  }
}

TEST(Files, FailuresNameThePath) {
  EXPECT_EQ(refusal(readNpy("/nowhere/a.npy")),
            "cannot read /nowhere/a.npy: No such file or directory");
  EXPECT_EQ(readNpy("/nowhere/a.npy").reason().id, "FileRead");
  EXPECT_EQ(refusal(readFile("/tmp", 1)), "cannot read /tmp: it is not a regular file");
  EXPECT_EQ(refusal(writeFile("/nowhere/a.npy", {})),
            "cannot write /nowhere/a.npy: No such file or directory");
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_EQ(refusal(writeFile("/dev/full", {bytesOf("a")})),
              "cannot write /dev/full: No space left on device");
  }
  std::string path = testing::TempDir() + "tessera_not_npy.npy";
  ASSERT_TRUE(writeFile(path, {bytesOf("hel"), bytesOf("lo")}));
  EXPECT_EQ(refusal(readNpy(path)), cat(path, ": not a .npy file: it does not begin with "
                                              "\\x93NUMPY"));
  // Nothing of such a file is read, so it may have holes only.
  std::filesystem::resize_file(path, mostArrayBytes + 1);
  EXPECT_EQ(refusal(readNpy(path)),
            cat("cannot read ", path, ": it has 68719476737 bytes, but the limit is 68719476736"));
  EXPECT_EQ(refusal(readFile(path, 3)),
            cat("cannot read ", path, ": it has 68719476737 bytes, but the limit is 3"));
  std::filesystem::remove(path);
}

/// AddressSanitizer ends the program at a failed allocation unless it is told not to.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }

TEST(Files, HostMemoryIsNoCrash) {
  EXPECT_EQ(refusal(Bytes::zeros(~size_t(0))),
            "cannot allocate 18446744073709551615 bytes of host memory");
  EXPECT_EQ(refusal(Bytes::zeros(~size_t(0) >> 1)),
            "cannot allocate 9223372036854775807 bytes of host memory");
  EXPECT_EQ(must(Bytes::zeros(0)).size(), 0u);
}
