import { ChatModel, type ModelContext } from "./chat.ts";
import type { ModelName } from "./models.ts";

/**
 * The model's answer to one prompt, with no tools. Throws `unavailable` when the
 * settings name no model, an error when there is no answer or it is empty, and the
 * signal's reason. An answer that was cut at its length limit says so.
 */
export async function complete(
  ctx: ModelContext,
  { system, prompt, model }: { system: string; prompt: string; model?: ModelName },
): Promise<string> {
  const chat = await ChatModel.open(ctx, model);
  const { message, finish } = await chat.complete({
    messages: [{ role: "system", content: system }, { role: "user", content: prompt }],
  });
  const text = message.content?.trim() ?? "";
  if (text === "") throw new Error("Cannot answer the prompt: the model's answer was empty");
  return finish === "length" ? `${text}\n\n[The model's answer was cut at its length limit]` : text;
}
