/** The form in which drivers hand over a result: text, images as base64, data, and the error flag. */
export function fromResult({ content = [], structuredContent, isError }) {
  return {
    text: content.map((block) => block.text ?? "").join("\n"),
    images: content.flatMap((block) => block.type === "image" ? [block.data] : []),
    data: structuredContent,
    isError: isError === true,
  };
}
