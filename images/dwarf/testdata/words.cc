// A program with much code of templates: what is inlined there is nested deeply.
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

struct Word {
  std::string text;
  int count = 0;
  bool operator<(const Word& o) const { return count > o.count || (count == o.count && text < o.text); }
};

static std::map<std::string, int> counted(std::istream& in, const std::regex& word) {
  std::map<std::string, int> counts;
  for (std::string line; std::getline(in, line);)
    for (std::sregex_iterator i(line.begin(), line.end(), word), end; i != end; ++i) counts[i->str()]++;
  return counts;
}

extern "C" int calc(int);

int main(int argc, char** argv) {
  std::istringstream in(argc > 1 ? argv[1] : "the cat and the dog and the bird");
  std::vector<Word> words;
  for (auto& [text, count] : counted(in, std::regex("[a-z]+"))) words.push_back({text, count});
  std::sort(words.begin(), words.end());
  std::set<Word> all(words.begin(), words.end());
  for (auto& w : all) std::cout << w.text << ' ' << w.count << '\n';
  return calc(argc);
}
