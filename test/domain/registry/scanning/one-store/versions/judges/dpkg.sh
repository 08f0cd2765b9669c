#!/bin/sh
# Reads pairs of versions, separated by a tab, and prints the order that dpkg gives to each.
tab=$(printf '\t')
while IFS=$tab read -r a b; do
  if dpkg --compare-versions "$a" lt "$b"; then
    echo -1
  elif dpkg --compare-versions "$a" eq "$b"; then
    echo 0
  else
    echo 1
  fi
done
