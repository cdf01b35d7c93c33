//go:build !linux && !darwin

package main

import "github.com/spf13/cobra"

// hiddenLine asks for a secret. Here it is visible, as the prompt says.
func hiddenLine(cmd *cobra.Command, prompt string) (string, error) {
	return firstLine(cmd, "the secret", prompt)
}
