package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// unreleased is the section of the changelog with what no version has yet.
const unreleased = "Unreleased"

// writeNotes writes what is read beside the files of the release: the section of the changelog, which begins with what one must do and says how
// to go back, and what each file is for.
func (r *release) writeNotes() error {
	text, err := os.ReadFile(r.file("CHANGELOG.md"))
	if err != nil {
		return err
	}
	changes, err := r.changes(string(text))
	if err != nil {
		return err
	}
	notes := fmt.Sprintf("# sett %s\n\n%s\n\n%s", r.number, changes, r.files())
	notes = links.ReplaceAllStringFunc(notes, func(link string) string { return "](" + r.owner.address(r.number, link[2:]) })
	return r.write("sett_"+r.number+"_notes.md", []byte(notes))
}

// links matches the beginning of a link to a file of the repository.
var links = regexp.MustCompile(`\]\([a-z]+/[a-z0-9/-]+\.[a-z]+`)

// changes returns the section of the version, or else what no version has yet.
func (r *release) changes(changelog string) (string, error) {
	sections := map[string]string{}
	for _, section := range strings.Split(changelog, "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		name, _, _ := strings.Cut(title, " ")
		sections[name] = strings.TrimSpace(body)
	}
	if sections[unreleased] != "" {
		r.before = append(r.before, fmt.Sprintf("name the section %s of CHANGELOG.md after the version and the day: ## %s – %s", unreleased, r.number, r.at.Format("2006-01-02")))
	}
	for _, name := range []string{r.number, unreleased} {
		if sections[name] != "" {
			return strings.ReplaceAll("\n"+sections[name], "\n### ", "\n## ")[1:], nil
		}
	}
	return "", fmt.Errorf("CHANGELOG.md has neither a section %s nor %s: write what changed", r.number, unreleased)
}

// files says what each file of the release is for.
func (r *release) files() string {
	base, windows := "sett_"+r.number, ""
	if slices.ContainsFunc(r.built, func(p program) bool { return p.system == "windows" }) {
		windows = "| `" + base + "_windows_MACHINE.zip` | `sett agent` and `sett run` on Windows |\n"
	}
	return strings.Join([]string{
		"## Files",
		"",
		"| file | for |",
		"|---|---|",
		"| `" + base + "_SYSTEM_MACHINE.tar.gz` | the program for a system and a machine, with compose files, a systemd unit, alert rules and a dashboard |",
		windows + "| `" + base + "_MACHINE.deb` | Debian and Ubuntu |",
		"| `sett-" + r.number + "-1.MACHINE.rpm` | Fedora, RHEL and SUSE |",
		"| `" + base + "_linux_MACHINE_image.tar` | `docker load` and `podman load` |",
		"| `" + base + "_images.tar` | the images for all machines, for a registry |",
		"| `sett-chart-" + r.number + ".tgz` | Kubernetes, by Helm |",
		"| `" + base + "_sbom.cdx.json` | the modules in the programs, with their licenses and checksums (CycloneDX) |",
		"| `SHA256SUMS`, `SHA256SUMS.sig` | the checksum of each file, and its signature |",
		"",
		"[Installing](docs/installing.md) says how to verify and install them, [Before an upgrade](docs/backup.md#before-an-upgrade) how to go back.",
		"",
	}, "\n")
}
