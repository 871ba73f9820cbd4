// The algebra against the tables of values that NVIDIA's CuTe C++ computed ($TESSERA_ORACLE, else skipped).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Oracle.h"
#include "test/layout/Reference.h"
#include "test/layout/Sample.h"
#include <iostream>
#include <set>
using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

TEST(X, Explore) {
  Table t("layout_algebra.tsv");
  std::map<std::string, std::map<std::string,int>> counts;
  for (const Row &row : t.rows()) {
    const Operation *op = findOperation(row["op"]);
    std::string v;
    if (!op) v = "notoffered";
    else {
      Interp interp;
      Inputs in(row["args"], [&](int64_t x){return interp.input(x);});
      Answer a = op->run(interp, in);
      bool lax = row["fn"]=="mismatch"||row["fn"]=="oob";
      if (!a.ok()) v = lax? "refused-lax":"refused";
      else if (a.text==row["result"]) v = row["fn"]=="mismatch"?"WRONGTOGETHER":"equal";
      else if (a.text==row["cutegen_result"]) v="dialect";
      else v="differs";
      if (v!="equal" && v!="refused-lax" && counts[row["op"]][v]<6)
        std::cout << v<<" "<<row["op"]<<" "<<row["args"]<<"\n    cpp "<<row["result"]<<"   cg "<<row["cutegen_result"]<<"\n    got "<<a.text<<a.refused.text<<"\n";
    }
    counts[row["op"]][v]++;
  }
  for (auto&[op,c]:counts) { std::cout<<op; for(auto&[v,n]:c) std::cout<<" "<<v<<"="<<n; std::cout<<"\n"; }
}
TEST(Y, Dyn) {
  Table t("layout_dynamic.tsv");
  std::map<std::string, std::map<std::string,int>> counts;
  for (const Row &row : t.rows()) {
    const Operation *op = findOperation(row["op"]);
    std::string v;
    if (!op) v = "notoffered";
    else {
      Interp interp; Symbolic sym;
      Inputs in(row["args"], [&](int64_t x){return interp.input(x);});
      Inputs si(row["args"], [&](int64_t x){return Int::dynamic(1);});
      Answer a = op->run(interp, in);
      Answer s = op->run(sym, si);
      if (s.text!=a.text || s.refused.text!=a.refused.text) v="SYMDIFF";
      else if (!a.ok()) v = "refused";
      else if (a.withoutFacts()!=row["result_type_form"]) v="typediff";
      else if (a.withValues(interp)!=row["result"]) v = "valuediff";
      else v= "equal";
      if (interp.violated()) v+="-violated";
      if (v!="equal"  && counts[row["op"]][v]<40)
        std::cout << v<<" "<<row["op"]<<" "<<row["args"]<<"\n    cpp "<<row["result"]<<"   cg "<<row["cutegen_result"]<<"\n    got "<<(a.ok()?a.withValues(interp):"")<<a.refused.text<<"  sym "<<s.text<<"\n";
    }
    counts[row["op"]][v]++;
  }
  for (auto&[op,c]:counts) { std::cout<<op; for(auto&[v,n]:c) std::cout<<" "<<v<<"="<<n; std::cout<<"\n"; }
}
TEST(Y, Inv) {
  Table t("invalid.tsv");
  std::map<std::string, std::map<std::string,int>> counts;
  for (const Row &row : t.rows()) {
    const Operation *op = findOperation(row["op"]);
    std::string v;
    if (!op) v = "notoffered";
    else {
      Interp interp; 
      Inputs in(row["args"], [&](int64_t x){return interp.input(x);});
      Answer a = op->run(interp, in);
      v= a.ok()?"accepted":"refused";
      if (v!="refused"  && counts[row["op"]][v]<40)
        std::cout << v<<" "<<row["op"]<<" "<<row["args"]<<"\n    cpp "<<row["reason"].substr(0,100)<<"   cg "<<row["cutegen"]<<"\n    got "<<(a.ok()?a.withValues(interp):"")<<a.refused.text<<"\n";
    }
    counts[row["op"]][v]++;
  }
  for (auto&[op,c]:counts) { std::cout<<op; for(auto&[v,n]:c) std::cout<<" "<<v<<"="<<n; std::cout<<"\n"; }
}
