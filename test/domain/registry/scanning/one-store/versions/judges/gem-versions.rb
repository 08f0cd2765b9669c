# Reads pairs of versions, separated by a tab, and prints the order that RubyGems gives to each.
STDIN.each_line(chomp: true) do |line|
  one, other = line.split("\t").map { |version| Gem::Version.new(version) }
  puts one <=> other
end
