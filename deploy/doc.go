// Package deploy has what people install sett with: a container image, compose files, a Helm chart, a systemd unit, packages,
// alert rules and a dashboard. The tests in test make a release and try each of these. It is a module of its own, so that its tools
// are not in go.mod of the program, and it contains no code of the program.
package deploy
