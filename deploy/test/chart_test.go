package test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

// objects are what the chart of the release creates.
type objects struct {
	stateful *appsv1.StatefulSet
	deploy   *appsv1.Deployment
	service  *corev1.Service
	ingress  *networkingv1.Ingress
	account  *corev1.ServiceAccount
	notes    string
}

// pod is the template of the pods, with either database.
func (o objects) pod() corev1.PodTemplateSpec {
	if o.deploy != nil {
		return o.deploy.Spec.Template
	}
	return o.stateful.Spec.Template
}

// render renders the chart as helm install does, and reads each object strictly: an unknown field is an error.
func render(t *testing.T, values string) (o objects, err error) {
	t.Helper()
	chart, err := loader.LoadFile(filepath.Join(dist, "sett-chart-"+version+".tgz"))
	if err != nil {
		t.Fatal(err)
	}
	var set map[string]any
	if err := yaml.Unmarshal([]byte(values), &set); err != nil {
		t.Fatal(err)
	}
	all, err := util.ToRenderValues(chart, set, common.ReleaseOptions{Name: "errors", Namespace: "tools", IsInstall: true}, common.DefaultCapabilities)
	if err != nil {
		return o, err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return o, err
	}
	for name, text := range files {
		if strings.HasSuffix(name, "NOTES.txt") {
			o.notes = text
		}
		if strings.HasSuffix(name, ".yaml") && strings.TrimSpace(text) != "" {
			o.read(t, name, text)
		}
	}
	return o, nil
}

func (o *objects) read(t *testing.T, name, text string) {
	t.Helper()
	var kind struct{ Kind string }
	if err := yaml.Unmarshal([]byte(text), &kind); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	var into any
	switch kind.Kind {
	case "StatefulSet":
		o.stateful = &appsv1.StatefulSet{}
		into = o.stateful
	case "Deployment":
		o.deploy = &appsv1.Deployment{}
		into = o.deploy
	case "Service":
		o.service = &corev1.Service{}
		into = o.service
	case "Ingress":
		o.ingress = &networkingv1.Ingress{}
		into = o.ingress
	case "ServiceAccount":
		o.account = &corev1.ServiceAccount{}
		into = o.account
	default:
		t.Fatalf("%s creates a %q", name, kind.Kind)
	}
	if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	checkSchema(t, name, text)
}

const onPostgres = "{replicas: 3, database: {secret: db}, secretKey: {secret: key}, settings: {SETT_MONTHLY_QUOTA: 5000}, ingress: {enabled: true, className: nginx, tlsSecret: tls}}"

const onObjects = "{database: {secret: db, directKey: direct, readKey: replica}, secretKey: {secret: key}, blocks: {address: 's3://events/sett?path-style=true', secret: s3, cacheBytes: 2000000000}, spoolBytes: 3000000000, storage: {size: 6Gi}, serviceAccount: {annotations: {eks.amazonaws.com/role-arn: 'arn:aws:iam::1:role/sett'}}}"

func TestChartIsCleanForHelm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, "tar", "-xzf", filepath.Join(dist, "sett-chart-"+version+".tgz"))
	for _, values := range []string{"{}", onPostgres, onObjects} {
		var set map[string]any
		if err := yaml.Unmarshal([]byte(values), &set); err != nil {
			t.Fatal(err)
		}
		for _, m := range lint.RunAll(filepath.Join(dir, "sett"), set, "tools").Messages {
			t.Errorf("helm lint with %s: %v", values, m)
		}
	}
}

func TestChartOnSQLite(t *testing.T) {
	t.Parallel()
	o, err := render(t, "{}")
	if err != nil {
		t.Fatal(err)
	}
	if o.deploy != nil || o.ingress != nil || *o.stateful.Spec.Replicas != 1 || o.stateful.Spec.VolumeClaimTemplates[0].Name != "data" {
		t.Errorf("the chart creates %+v", o)
	}
	checkPod(t, o)
	if _, err := render(t, "replicas: 2"); err == nil || !strings.Contains(err.Error(), "that needs PostgreSQL") {
		t.Errorf("two pods on SQLite: %v", err)
	}
}

func TestChartOnPostgres(t *testing.T) {
	t.Parallel()
	o, err := render(t, onPostgres)
	if err != nil {
		t.Fatal(err)
	}
	if o.stateful != nil || *o.deploy.Spec.Replicas != 3 || o.deploy.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
		t.Errorf("the chart creates %+v", o)
	}
	checkPod(t, o)
	c := o.pod().Spec.Containers[0]
	for name, want := range map[string]string{"SETT_DATABASE_FILE": "/run/secrets/database/url", "SETT_SECRET_KEY_FILE": "/run/secrets/key/secret.key", "SETT_MONTHLY_QUOTA": "5000"} {
		if at := slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == name }); at < 0 || c.Env[at].Value != want {
			t.Errorf("%s is not %s in %+v", name, want, c.Env)
		}
	}
	if backend := o.ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service; backend.Name != o.service.Name || backend.Port.Name != o.service.Spec.Ports[0].Name {
		t.Errorf("the ingress leads to %+v", backend)
	}
	if _, err := render(t, "database: {secret: db}"); err == nil || !strings.Contains(err.Error(), "secretKey.secret is missing") {
		t.Errorf("PostgreSQL without a key: %v", err)
	}
}

// Each value reaches the container as its variable, and files of a Secret are where the variables say.
func TestChartWithObjectStorageAndReplica(t *testing.T) {
	t.Parallel()
	o, err := render(t, onObjects)
	if err != nil {
		t.Fatal(err)
	}
	checkPod(t, o)
	spec, got := o.pod().Spec, map[string]string{}
	for _, e := range spec.Containers[0].Env {
		if _, twice := got[e.Name]; twice {
			t.Errorf("%s is set twice", e.Name)
		}
		got[e.Name] = e.Value
		if e.ValueFrom != nil {
			got[e.Name] = e.ValueFrom.SecretKeyRef.Name + "/" + e.ValueFrom.SecretKeyRef.Key
		}
	}
	for _, v := range spec.Volumes {
		if v.Name == "database" {
			for _, item := range v.Secret.Items {
				got["/run/secrets/database/"+item.Path] = v.Secret.SecretName + "/" + item.Key
			}
		}
		if v.Name == "data" && v.EmptyDir.SizeLimit.String() != "6Gi" {
			t.Errorf("the data may take %v", v.EmptyDir.SizeLimit)
		}
	}
	want := map[string]string{
		"SETT_LISTEN": ":8080", "SETT_DATA": "/var/lib/sett", "SETT_SECRET_KEY_FILE": "/run/secrets/key/secret.key",
		"SETT_DATABASE_FILE": "/run/secrets/database/url", "SETT_DATABASE_DIRECT_FILE": "/run/secrets/database/direct", "SETT_DATABASE_READ_FILE": "/run/secrets/database/read",
		"/run/secrets/database/url": "db/url", "/run/secrets/database/direct": "db/direct", "/run/secrets/database/read": "db/replica",
		"SETT_BLOCKS": "s3://events/sett?path-style=true", "SETT_BLOCK_CACHE_BYTES": "2000000000", "SETT_SPOOL_BYTES": "3000000000",
		"AWS_ACCESS_KEY_ID": "s3/AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY": "s3/AWS_SECRET_ACCESS_KEY",
	}
	if diff := compare(want, got); diff != "" {
		t.Error(diff)
	}
	if o.account == nil || o.account.Name != spec.ServiceAccountName || o.account.Annotations["eks.amazonaws.com/role-arn"] != "arn:aws:iam::1:role/sett" {
		t.Errorf("the pods have the account %q, the chart creates %+v", spec.ServiceAccountName, o.account)
	}
	if !strings.Contains(o.notes, "s3://events/sett") || !strings.Contains(o.notes, "deploy/errors-sett") {
		t.Errorf("the notes say %q", o.notes)
	}
	if o, err := render(t, "serviceAccount: {name: mine}"); err != nil || o.account != nil || o.pod().Spec.ServiceAccountName != "mine" {
		t.Errorf("an account that exists: %+v %v", o.account, err)
	}
}

func TestChartRefusesContradictions(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{
		"database: {readKey: replica}":                                            "keys of database.secret, which is missing",
		"blocks: {secret: s3}":                                                    "blocks.address is missing",
		"blocks: {address: 'https://s3.example.org/events'}":                      "does not match pattern",
		"{blocks: {address: 's3://b'}, storage: {size: 1Gi}}":                     "take 1342177280 bytes; raise it",
		"{database: {secret: db}, secretKey: {secret: key}, storage: {size: 1G}}": "take 1342177280 bytes; raise it",
		"storage: {size: many}":                                                   "does not match pattern",
		"database: {readkey: replica}":                                            "readkey",
		"spoolBytes: lots":                                                        "spoolBytes",
		"settings: {SETT_BLOCKS: 's3://b'}":                                       "settings has SETT_BLOCKS, which the chart sets",
		"settings: {SETT_DATABASE_READ_FILE: /x}":                                 "settings has SETT_DATABASE_READ, which the chart sets",
		"serviceAccount: {name: mine, annotations: {a: b}}":                       "set one of them",
	} {
		if _, err := render(t, values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", values, err, want)
		}
	}
}

// checkPod compares the pod with the image, and with what a namespace allows that is restricted.
func checkPod(t *testing.T, o objects) {
	t.Helper()
	pod := o.pod()
	registry, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range registry.EvaluatePod(api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}, &pod.ObjectMeta, &pod.Spec) {
		if !r.Allowed {
			t.Errorf("a restricted namespace refuses the pod: %s %s", r.ForbiddenReason, r.ForbiddenDetail)
		}
	}
	c := pod.Spec.Containers[0]
	_, config := image(t, "amd64")
	if c.Image != imageName+":"+version || len(c.Command) != 0 || !slices.Equal(c.Args, config.Config.Cmd) || !*c.SecurityContext.ReadOnlyRootFilesystem {
		t.Errorf("the container is %+v", c)
	}
	if *pod.Spec.SecurityContext.RunAsUser != 65532 || !strings.HasPrefix(config.Config.User, "65532:") || c.Ports[0].ContainerPort != 8080 {
		t.Errorf("the pod runs as %+v", pod.Spec.SecurityContext)
	}
	volumes := map[string]bool{}
	for _, v := range pod.Spec.Volumes {
		volumes[v.Name] = true
	}
	if o.stateful != nil {
		volumes[o.stateful.Spec.VolumeClaimTemplates[0].Name] = true
	}
	mounted := map[string]bool{}
	for _, m := range c.VolumeMounts {
		mounted[m.Name] = true
		if m.Name == "data" && !hasKey(config.Config.Volumes, m.MountPath) {
			t.Errorf("the data is at %s, the image has %v", m.MountPath, config.Config.Volumes)
		}
	}
	if !maps.Equal(volumes, mounted) {
		t.Errorf("volumes %v, mounted %v", volumes, mounted)
	}
	for name, value := range o.service.Spec.Selector {
		if pod.Labels[name] != value {
			t.Errorf("the service selects %s=%s, the pod has %s", name, value, pod.Labels[name])
		}
	}
}
