// A million small allocations a moment: a map of strings is copied for each request.
#include <map>
#include <string>

using Settings = std::map<std::string, std::string>;

__attribute__((noinline)) size_t handle_request(const Settings &settings) {
	Settings copy = settings;
	return copy.size();
}

int main() {
	Settings settings;
	for (int i = 0; i < 1000; i++)
		settings["setting number " + std::to_string(i)] = "value number " + std::to_string(i);
	size_t sum = 0;
	for (;;)
		sum += handle_request(settings);
}
