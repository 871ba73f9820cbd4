#!/usr/bin/env python3
"""What a build of Tessera is made of, as SPDX 2.3 (JSON): spdx.py --version V --commit C --date D [--llvm V] [--cli11 V]
[--zstd] [--static] [--googletest V] [--macros FILE] [-o FILE]. The same arguments give the same bytes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse
import json
import re
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--version", required=True)
parser.add_argument("--commit", required=True)
parser.add_argument("--date", required=True, help="of the commit, as 2026-11-22T20:00:00Z")
parser.add_argument("--llvm", default="")
parser.add_argument("--cli11", default="")
parser.add_argument("--zstd", action="store_true", help="libtessera_cuda.so links it")
parser.add_argument("--static", action="store_true", help="LLVM and the libraries it needs are inside the programs")
parser.add_argument("--googletest", default="")
parser.add_argument("--macros", help="what the compiler defines with the libraries' headers (-E -dM), which say their versions")
parser.add_argument("-o", default="-")
asked = parser.parse_args()
macros = dict(re.findall(r'^#define (\w+) +"?([\w.]+)"?$', open(asked.macros).read(), re.M)) if asked.macros else {}


def version(form):
    """The macros that are named, or nothing where one is not defined."""
    names = re.findall(r"{(\w+)}", form)
    return form.format(**macros) if all(name in macros for name in names) else ""



# Name, version, licence, where from, how it is used, whether it is part of this build.
ROWS = [
    ("llvm", asked.llvm, "Apache-2.0 WITH LLVM-exception", "https://github.com/llvm/llvm-project", "STATIC_LINK" if asked.static else "DYNAMIC_LINK", bool(asked.llvm)),
    ("mlir", asked.llvm, "Apache-2.0 WITH LLVM-exception", "https://github.com/llvm/llvm-project", "STATIC_LINK" if asked.static else "DYNAMIC_LINK", bool(asked.llvm)),
    ("cli11", asked.cli11, "BSD-3-Clause", "https://github.com/CLIUtils/CLI11", "STATIC_LINK", bool(asked.cli11)),
    ("zlib", version("{ZLIB_VERSION}"), "Zlib", "https://zlib.net", "STATIC_LINK", asked.static),
    ("zstd", version("{ZSTD_VERSION_MAJOR}.{ZSTD_VERSION_MINOR}.{ZSTD_VERSION_RELEASE}"), "BSD-3-Clause OR GPL-2.0-only", "https://github.com/facebook/zstd", "STATIC_LINK" if asked.static else "DYNAMIC_LINK", asked.static or asked.zstd),
    ("libstdc++", version("{_GLIBCXX_RELEASE} ({__GLIBCXX__})"), "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org", "STATIC_LINK" if asked.static else "DYNAMIC_LINK", True),
    ("glibc", version("{__GLIBC__}.{__GLIBC_MINOR__}"), "LGPL-2.1-or-later", "https://sourceware.org/glibc", "DYNAMIC_LINK", True),
    ("googletest", asked.googletest, "BSD-3-Clause", "https://github.com/google/googletest", "TEST_DEPENDENCY_OF", True),
    # Not linked: found at run time where they are.
    ("ptxas", "", "LicenseRef-NVIDIA-CUDA-EULA", "https://developer.nvidia.com/cuda-toolkit", "OPTIONAL_DEPENDENCY_OF", bool(asked.llvm)),
    ("libcuda", "", "LicenseRef-NVIDIA-driver", "https://www.nvidia.com/drivers", "OPTIONAL_DEPENDENCY_OF", True),
]


def package(name, version, licence, home):
    return {"SPDXID": f"SPDXRef-{name.replace('+', 'x')}", "name": name, "versionInfo": version or "NOASSERTION", "downloadLocation": home,
            "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", "filesAnalyzed": False}


tessera = package("tessera", f"{asked.version}+{asked.commit[:12]}", "Apache-2.0 WITH LLVM-exception", "NOASSERTION")
used = [row for row in ROWS if row[5]]
relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": tessera["SPDXID"]}]
for name, _, _, _, how, _ in used:
    mine, other = tessera["SPDXID"], f"SPDXRef-{name.replace('+', 'x')}"
    if how.endswith("_OF"):
        mine, other = other, mine
    relations.append({"spdxElementId": mine, "relationshipType": how, "relatedSpdxElement": other})
document = {
    "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"tessera-{asked.version}",
    "documentNamespace": f"https://spdx.org/spdxdocs/tessera-{asked.version}-{asked.commit}{'-static' if asked.static else ''}{'' if asked.llvm else '-light'}",
    "creationInfo": {"created": asked.date, "creators": ["Tool: utils/spdx.py"]},
    "packages": [tessera] + [package(*row[:4]) for row in used],
    "hasExtractedLicensingInfos": [
        {"licenseId": licence, "extractedText": f"See {home}", "name": name}
        for name, _, licence, home, _, _ in used if licence.startswith("LicenseRef-")],
    "relationships": relations,
}
text = json.dumps(document, indent=1) + "\n"
if asked.o == "-":
    sys.stdout.write(text)
else:
    # Only where it is another, so that nothing that depends on it is made again.
    try:
        same = open(asked.o).read() == text
    except OSError:
        same = False
    if not same:
        with open(asked.o, "w") as to:
            to.write(text)
