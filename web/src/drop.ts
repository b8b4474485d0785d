// Dropping a document on the page opens it.

export function listenForDrops(open: (text: Promise<string>, name: string) => Promise<void>): void {
  const mark = (on: boolean): void => void document.body.classList.toggle("dropping", on);
  addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    mark(true);
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) mark(false);
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    mark(false);
    const file = event.dataTransfer?.files[0];
    // A folder arrives as a file too, but reading its text fails.
    if (file !== undefined) void open(file.text(), file.name);
  });
}
