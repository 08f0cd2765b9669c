// Lists the entries of tar archives as Go's archive/tar reads them.
//
// Each line of the input is an archive in base64. Each line of the output is a list in JSON of the kind, the name, the
// target of the link and the bytes of the content of each entry, in base64, or "fault" where the archive is malformed.
package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func entries(archive []byte) any {
	found := [][]any{}
	reader := tar.NewReader(bytes.NewReader(archive))
	for {
		header, err := reader.Next()
		if err == io.EOF {
			return found
		}
		if err != nil {
			return "fault"
		}
		content, err := io.Copy(io.Discard, reader)
		if err != nil {
			return "fault"
		}
		if header.Typeflag != tar.TypeXGlobalHeader {
			encode := base64.StdEncoding.EncodeToString
			found = append(found, []any{string(header.Typeflag), encode([]byte(header.Name)), encode([]byte(header.Linkname)), content})
		}
	}
}

func main() {
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadBytes('\n')
		if len(line) > 0 {
			archive, fault := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(line)))
			if fault != nil {
				panic(fault)
			}
			text, _ := json.Marshal(entries(archive))
			fmt.Println(string(text))
		}
		if err != nil {
			return
		}
	}
}
