package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sett/deploy/licenses"
)

// licensesFile has the texts that sett licenses prints.
const licensesFile = "internal/base/about/THIRD-PARTY-LICENSES"

// linked returns what the program of a checkout contains on any platform.
func linked(ctx context.Context, source string) ([]licenses.Module, error) {
	var names []string
	for _, p := range platforms {
		names = append(names, p.system+"/"+p.machine)
	}
	return licenses.Of(ctx, source, names)
}

func writeLicenses(ctx context.Context, source string) error {
	parts, err := linked(ctx, source)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(source, licensesFile), licenses.Write(parts), 0o644)
}

// readLicenses returns what the program contains, if the file of the checkout has exactly its texts.
func readLicenses(ctx context.Context, source string) ([]licenses.Module, error) {
	parts, err := linked(ctx, source)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(source, licensesFile))
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(text, licenses.Write(parts)) {
		return nil, fmt.Errorf("%s is not what the program contains: run make licenses and commit the file", licensesFile)
	}
	return parts, nil
}
