// Buttons that save what is shown to files.

import { downloadPng, downloadSvg } from "./download";
import { h } from "./dom";
import { messageOf } from "./errors";
import { setPicturesAsShown } from "./theme";

export interface Save {
  form: "SVG" | "PNG" | "CSV";
  save: () => void | Promise<void>;
}

/** A chart in both image formats; the file is named when it is saved. */
export function pictureSaves(svg: SVGSVGElement, name: () => string): Save[] {
  return [
    { form: "SVG", save: () => downloadSvg(svg, name()) },
    { form: "PNG", save: () => downloadPng(svg, name()) },
  ];
}

/** On a dark page: whether pictures are dark too. */
function darkBox(): HTMLElement {
  const box = h("input", { type: "checkbox", onchange: () => setPicturesAsShown(box.checked) });
  return h("label", { class: "as-shown", title: "Pictures are light otherwise" }, box, "dark");
}

/** `of` names what is saved, if a view has several things to save. */
export function downloadGroup(saves: readonly Save[], of = ""): HTMLElement {
  const problem = h("span", { class: "problem", role: "alert" });
  const act = async (save: Save["save"]): Promise<void> => {
    problem.textContent = "";
    try {
      await save();
    } catch (error) {
      problem.textContent = messageOf(error);
    }
  };
  return h("div", { class: "group downloads", role: "group", "aria-label": of ? `Download ${of}` : "Download" },
    problem, saves.some(({ form }) => form !== "CSV") && darkBox(), ...saves.map(({ form, save }) => h("button", {
      class: "button small", type: "button", title: `Download ${of ? `${of} ` : ""}as ${form}`,
      onclick: () => void act(save),
    }, form)));
}
