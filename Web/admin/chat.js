// The rules of chats, of meetings and of tenants alike.

import { answer, field, input, minutes, select, truth } from "./widgets.js";

/**
 * Fields about the chat.
 *
 * @param {object} [known] the rules that hold; without them every field may be left empty
 * @param {string} [empty] what an empty field means then
 */
export function chatFields(known, empty) {
  const choice = (name, options) => select(name, known ? options : [["", empty], ...options]);
  const writers = choice("chatWriters", [["everyone", "Everyone"], ["hosts", "Hosts"], ["nobody", "Nobody"]]);
  const history = choice("chatHistory", [["true", "Yes"], ["false", "No"]]);
  if (known) {
    writers.value = known.writers;
    history.value = String(known.history);
  }
  const left = (text) => `${known ? text : empty} when left empty.`;
  const number = (name, least, value) => input(name, { type: "number", min: least, value: value ?? "" });
  return [
    field("Who writes in the chat", writers), field("Who comes later sees what was written before", history),
    field("Most chat messages that are kept", number("chatMessages", 0, known?.messages), left("As many as the server keeps")),
    field("Minutes that a chat message is kept", number("chatMinutes", 1, known?.seconds && known.seconds / 60), left("As long as the meeting runs")),
    field("Most bytes of one chat file", number("chatFileLimit", 0, known?.fileLimit), `0 for no files. ${left("As many as the server takes")}`),
  ];
}

/** A form's settings of the chat, as far as they differ from those that are `known`. */
export function chatRules(values, known) {
  const said = {
    chatWriters: answer(values.chatWriters), chatHistory: truth(values.chatHistory), chatMessages: answer(values.chatMessages, Number),
    chatSeconds: minutes(values.chatMinutes), chatFileLimit: answer(values.chatFileLimit, Number),
  };
  if (!known) { return said; }
  const held = { chatWriters: known.writers, chatHistory: known.history, chatMessages: known.messages, chatSeconds: known.seconds, chatFileLimit: known.fileLimit };
  return Object.fromEntries(Object.entries(said).filter(([name, value]) => value !== held[name]).map(([name, value]) => [name, value ?? null]));
}
