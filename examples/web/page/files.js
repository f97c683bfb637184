// The files that the user chose or dropped, as { name, file }. For files in folders, the name is a
// path.

export function pickedFiles(list) {
  return [...list].map((file) => ({ name: file.webkitRelativePath || file.name, file }));
}

export async function droppedFiles(transfer) {
  // The dropped items become inaccessible after the first `await`, so all entries are taken before.
  const entries = [...transfer.items]
    .filter((item) => item.kind === "file")
    .map((item) => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() }));
  const found = [];
  for (const { entry, file } of entries) {
    if (entry?.isDirectory) await walk(entry, found);
    else if (file) found.push({ name: file.name, file });
  }
  return found;
}

// All files below a folder.
async function walk(folder, found) {
  const reader = folder.createReader();
  for (;;) {
    // A reader returns some entries at a time, and none at the end.
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return;
    for (const entry of entries) {
      if (entry.isDirectory) {
        await walk(entry, found);
      } else {
        const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
        found.push({ name: entry.fullPath.replace(/^\//, ""), file });
      }
    }
  }
}
