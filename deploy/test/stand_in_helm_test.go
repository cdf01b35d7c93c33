package test

import (
	"fmt"
	"maps"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"helm.sh/helm/v4/pkg/strvals"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// helm renders the chart with exactly these values. The Secrets that the pods read must exist, with these keys.
func helm(s *standIn) error {
	values, words, err := s.options(1, "--reuse-values", "--set")
	if err != nil {
		return err
	}
	switch {
	case s.is("uninstall") && len(words) == 1:
		if err := remove(s.Releases, words); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "release %q uninstalled\n", words[0])
		return nil
	case !s.is("install") && !s.is("upgrade") || len(words) != 2:
		return errUnknown
	}
	name, set := words[0], map[string]any{}
	before, exists := s.Releases[name]
	if exists == s.is("install") {
		return fmt.Errorf("does a release %s exist already? %v", name, exists)
	}
	if _, reuse := values["--reuse-values"]; reuse {
		set = maps.Clone(before)
	}
	for _, value := range values["--set"] {
		if err := strvals.ParseInto(value, set); err != nil {
			return err
		}
	}
	if err := s.renderChart(name, words[1], set); err != nil {
		return err
	}
	s.Releases[name] = set
	return nil
}

func (s *standIn) renderChart(name, file string, set map[string]any) error {
	chart, err := loader.LoadFile(file)
	if err != nil {
		return err
	}
	all, err := util.ToRenderValues(chart, set, common.ReleaseOptions{Name: name, Namespace: "default", IsInstall: true}, common.DefaultCapabilities)
	if err != nil {
		return err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return err
	}
	for path, text := range files {
		switch {
		case strings.HasSuffix(path, "NOTES.txt"):
			fmt.Fprintln(s.out, text)
		case strings.Contains(text, "kind: StatefulSet"):
			var o appsv1.StatefulSet
			if err := yaml.UnmarshalStrict([]byte(text), &o); err != nil {
				return err
			}
			for _, claim := range o.Spec.VolumeClaimTemplates {
				s.Claims[fmt.Sprintf("%s-%s-0", claim.Name, o.Name)] = true
			}
			err = s.checkSecrets(o.Spec.Template.Spec)
		case strings.Contains(text, "kind: Deployment"):
			var o appsv1.Deployment
			if err := yaml.UnmarshalStrict([]byte(text), &o); err != nil {
				return err
			}
			err = s.checkSecrets(o.Spec.Template.Spec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkSecrets looks for what a pod reads. It must have an image of the registry.
func (s *standIn) checkSecrets(pod corev1.PodSpec) error {
	need := func(name, key string) error {
		if !s.Secrets[name][key] {
			return fmt.Errorf("there is no Secret %s with the key %s", name, key)
		}
		return nil
	}
	for _, v := range pod.Volumes {
		if v.Secret == nil {
			continue
		}
		for _, item := range v.Secret.Items {
			if err := need(v.Secret.SecretName, item.Key); err != nil {
				return err
			}
		}
	}
	for _, c := range pod.Containers {
		if want := "registry.example.org/sett:" + version; c.Image != want {
			return fmt.Errorf("the pods have the image %s, not %s", c.Image, want)
		}
		for _, e := range c.Env {
			if e.ValueFrom == nil || e.ValueFrom.SecretKeyRef == nil {
				continue
			}
			if err := need(e.ValueFrom.SecretKeyRef.Name, e.ValueFrom.SecretKeyRef.Key); err != nil {
				return err
			}
		}
	}
	return nil
}
