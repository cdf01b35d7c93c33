package test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

// The schemas of Kubernetes, as its API server publishes them, are in a module of its tools. It is read, not compiled: as go run does, this gets it at a
// fixed version and compares its checksum.
const (
	schemasOf  = "sigs.k8s.io/kubectl-validate@v0.0.4"
	schemasSum = "h1:tGKuv0awYHn11Cb6KPsZKxUmHgavF46K3NvVH0Nse9U="
	schemasIn  = "pkg/openapiclient/builtins/1.30"
)

var schemas = sync.OnceValues(func() (string, error) {
	out, err := command("", "go", "mod", "download", "-json", schemasOf)
	if err != nil {
		return "", err
	}
	var module struct{ Dir, Sum string }
	if err := json.Unmarshal([]byte(out), &module); err != nil {
		return "", err
	}
	if module.Sum != schemasSum {
		return "", fmt.Errorf("%s has the checksum %s, want %s", schemasOf, module.Sum, schemasSum)
	}
	return filepath.Join(module.Dir, schemasIn), nil
})

// choices are the values of fields that have only some, by the names of the field and what it is in. The schemas do not have them.
var choices = map[string][]string{
	"strategy.type":                       {"Recreate", "RollingUpdate"},
	"containers.imagePullPolicy":          {string(corev1.PullAlways), string(corev1.PullIfNotPresent), string(corev1.PullNever)},
	"securityContext.fsGroupChangePolicy": {string(corev1.FSGroupChangeOnRootMismatch), string(corev1.FSGroupChangeAlways)},
	"seccompProfile.type":                 {string(corev1.SeccompProfileTypeRuntimeDefault), string(corev1.SeccompProfileTypeUnconfined), string(corev1.SeccompProfileTypeLocalhost)},
	"spec.accessModes":                    {string(corev1.ReadWriteOnce), string(corev1.ReadOnlyMany), string(corev1.ReadWriteMany), string(corev1.ReadWriteOncePod)},
	"spec.type":                           {string(corev1.ServiceTypeClusterIP), string(corev1.ServiceTypeNodePort), string(corev1.ServiceTypeLoadBalancer), string(corev1.ServiceTypeExternalName)},
	"paths.pathType":                      {string(networkingv1.PathTypeExact), string(networkingv1.PathTypePrefix), string(networkingv1.PathTypeImplementationSpecific)},
}

// checkSchema compares an object with the schema of its kind: which members must be there, and their types.
func checkSchema(t *testing.T, name, text string) {
	t.Helper()
	dir, err := schemas()
	if err != nil {
		t.Fatalf("get the schemas of Kubernetes: %v", err)
	}
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	version := object["apiVersion"].(string)
	file := filepath.Join(dir, "apis", version+".json")
	if !strings.Contains(version, "/") {
		file = filepath.Join(dir, "api", version+".json")
	}
	schema, err := compileSchema(file, object["kind"].(string))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(object); err != nil {
		t.Errorf("%s: the API server refuses it: %v\n%s", name, err, text)
	}
	checkChoices(t, name, "", object)
}

func compileSchema(file, kind string) (*jsonschema.Schema, error) {
	data, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	document, err := jsonschema.UnmarshalJSON(data)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("kubernetes.json", document); err != nil {
		return nil, err
	}
	for name := range document.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any) {
		if strings.HasPrefix(name, "io.k8s.api.") && strings.HasSuffix(name, "."+kind) {
			return compiler.Compile("kubernetes.json#/components/schemas/" + name)
		}
	}
	return nil, fmt.Errorf("%s has no %s", file, kind)
}

// checkChoices walks through an object. In is the name of what has the value.
func checkChoices(t *testing.T, name, in string, value any) {
	t.Helper()
	object, _ := value.(map[string]any)
	for key, below := range object {
		of := choices[in+"."+key]
		for _, one := range all(below) {
			if text, ok := one.(string); ok && of != nil && !slices.Contains(of, text) {
				t.Errorf("%s: %s.%s is %q, want one of %q", name, in, key, text, of)
			}
			checkChoices(t, name, key, one)
		}
	}
}

// all returns the members of a list, or the only value.
func all(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}
