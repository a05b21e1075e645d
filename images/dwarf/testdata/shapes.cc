#include <vector>
#include <string>
#include <map>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <functional>
namespace shapes {
struct Shape { virtual ~Shape() {} virtual double area() const = 0; std::string name; };
struct Square : Shape { double s; explicit Square(double s) : s(s) { name = "sq" + std::to_string(s); } double area() const override { return s * s; } };
struct Circle : Shape { double r; explicit Circle(double r) : r(r) { name = "ci"; } double area() const override { return 3.14 * r * r; } };
template <class T> static inline T twice(T x) { return x + x; }
static inline double sum(const std::vector<std::unique_ptr<Shape>>& v) {
  double t = 0;
  for (auto& s : v) t += twice(s->area());
  return t;
}
}
static int cmp(const std::string& a, const std::string& b) { return a.size() < b.size(); }
__attribute__((noinline)) static void fill(std::map<std::string, int>& m, int n) {
  for (int i = 0; i < n; i++) m[std::to_string(i % 17)] += shapes::twice(i);
}
extern "C" int calc(int);
int main(int argc, char** argv) {
  std::vector<std::unique_ptr<shapes::Shape>> v;
  for (int i = 0; i < argc * 10; i++) {
    if (i % 2) v.push_back(std::make_unique<shapes::Square>(i));
    else v.push_back(std::make_unique<shapes::Circle>(i));
  }
  std::map<std::string, int> m;
  fill(m, argc * 100);
  std::vector<std::string> keys;
  for (auto& [k, n] : m) keys.push_back(k + argv[0]);
  std::sort(keys.begin(), keys.end(), cmp);
  std::function<int(int)> f = [&](int x) { return x + calc(argc) + (int)keys.size(); };
  printf("%f %d %s\n", shapes::sum(v), f(3), keys[0].c_str());
}
