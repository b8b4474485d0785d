// The visible window of x: wheel, pinch and drag change it, a double click shows everything. The window is
// stored as values of x, so it stays while a run grows or the page is resized.

import type { Selection } from "d3-selection";
import { zoom, zoomIdentity, zoomTransform, type D3ZoomEvent } from "d3-zoom";

import type { Domain } from "../../charts/domain";
import { scaleOfX } from "../../charts/plane";
import type { Scene } from "./scene";

const DEEPEST = 20_000;

type Catcher = Selection<SVGRectElement, undefined, null, undefined>;

export class Zoom {
  /** The window, or null if everything is visible. */
  window: Domain | null = null;
  private readonly behaviour = zoom<SVGRectElement, undefined>().scaleExtent([1, DEEPEST]);
  private isSyncing = false;
  private scene: Scene | null = null;

  constructor(private readonly catcher: Catcher, private readonly onChange: () => void) {
    this.behaviour.on("zoom", (event: D3ZoomEvent<SVGRectElement, undefined>) => this.onZoom(event));
    catcher.call(this.behaviour).on("dblclick.zoom", null).on("dblclick", () => this.set(null));
  }

  set(window: Domain | null): void {
    this.window = window;
    this.onChange();
  }

  /** Zoom around a position in the plot. */
  by(factor: number, at: number): void {
    this.behaviour.scaleBy(this.catcher, factor, [at, 0]);
  }

  /** Synchronize the zoom behaviour with what is drawn. */
  sync(scene: Scene): void {
    this.scene = scene;
    const { plane, room, settings } = scene;
    if (plane === null) return;
    const size: [[number, number], [number, number]] = [[0, 0], [room.width, room.height]];
    this.behaviour.extent(size).translateExtent(size);
    let transform = zoomIdentity;
    if (this.window !== null) {
      const base = scaleOfX(plane.base, settings.isLog, room.width);
      const [from, to] = [base(this.window[0]), base(this.window[1])];
      transform = zoomIdentity.scale(room.width / (to - from)).translate(-from, 0);
    }
    const node = this.catcher.node();
    const now = node === null ? zoomIdentity : zoomTransform(node);
    // Nothing to do during a gesture, which is what set this window.
    if (Math.abs(now.k / transform.k - 1) < 1e-6 && Math.abs(now.x - transform.x) < 0.01) return;
    this.isSyncing = true;
    this.behaviour.transform(this.catcher, transform);
    this.isSyncing = false;
  }

  private onZoom({ transform }: D3ZoomEvent<SVGRectElement, undefined>): void {
    const { scene } = this;
    if (this.isSyncing || scene?.plane == null) return;
    const { width } = scene.room;
    const base = scaleOfX(scene.plane.base, scene.settings.isLog, width);
    const ends: Domain = [base.invert(transform.invertX(0)), base.invert(transform.invertX(width))];
    this.set(transform.k <= 1.0001 ? null : ends);
  }
}
