package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// writeChart writes the Helm chart, with the version of the release and the names of its owner.
func (r *release) writeChart() error {
	const dir = "deploy/helm/sett"
	files := map[string]string{}
	err := filepath.WalkDir(r.file(dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(r.file(dir), name)
		files[filepath.ToSlash(below)] = path.Join(dir, filepath.ToSlash(below))
		return err
	})
	if err != nil {
		return err
	}
	entries, err := r.entries("sett", files)
	if err != nil {
		return err
	}
	for i, e := range entries {
		change := map[string]func([]byte) ([]byte, error){"sett/Chart.yaml": r.aboutChart, "sett/values.yaml": r.chartValues}[e.name]
		if change == nil {
			continue
		}
		if entries[i].data, err = change(e.data); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return r.writeTarGz("sett-chart-"+r.number+".tgz", entries)
}

// aboutChart returns Chart.yaml of the release.
func (r *release) aboutChart(text []byte) ([]byte, error) {
	var about map[string]any
	if err := yaml.Unmarshal(text, &about); err != nil {
		return nil, err
	}
	about["version"], about["appVersion"] = r.number, r.number
	about["icon"], about["home"] = r.owner.Icon, r.owner.Home
	about["maintainers"] = []map[string]string{{"name": r.owner.Name, "email": r.owner.Email}}
	return yaml.Marshal(about)
}

// chartValues returns values.yaml of the release, whose image is where the owner pushes it.
func (r *release) chartValues(text []byte) ([]byte, error) {
	const repository = "\n  repository: sett\n"
	if !bytes.Contains(text, []byte(repository)) {
		return nil, fmt.Errorf("the line %q is missing", strings.TrimSpace(repository))
	}
	if strings.Contains(r.owner.Image, placeholder) {
		return text, nil
	}
	return bytes.Replace(text, []byte(repository), []byte("\n  repository: "+r.owner.Image+"\n"), 1), nil
}
