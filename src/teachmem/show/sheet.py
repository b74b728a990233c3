"""The stylesheet of the HTML views, made from the colours of `style.py`; each view carries what it uses.

The reader's system decides between light and dark, unless JupyterLab's own theme does. The views paint
their own paper, so that they are legible on any page. Selectors are doubled (`.tm.tm`) to stand above
JupyterLab's rules for tables. Nothing is fetched: fonts are the system's, hatches are gradients.

>>> "url(" in CSS, "@import" in CSS, "<" in CSS
(False, False, False)
>>> ".tm-bar" in needed('<div class="tm-bar">'), ".tm-bar" in needed("<p>")
(True, False)

Left out: pictures drawn as SVG bring their own shapes, and take their ink from here.
"""

from __future__ import annotations

import re

from teachmem.show import style


def _fills() -> str:
    hatches = {
        "//": f"repeating-linear-gradient(135deg,transparent 0 5px,{style.INK} 5px 6.5px)",
        "\\\\": f"repeating-linear-gradient(45deg,transparent 0 5px,{style.INK} 5px 6.5px)",
        "..": f"radial-gradient({style.INK} 1.4px,transparent 1.7px) 0 0/7px 7px",
    }
    rules = [f".tm-{name}{{background-color:{look.colour}}}" for name, look in style.TIERS.items()]
    for name, look in {**style.PARTS, "other": style.OTHER_PART}.items():
        hatch = f"{hatches[look.hatch]} {look.colour}" if look.hatch else look.colour
        rules.append(f".tm-{name}{{background:{hatch}}}")
    rules += [
        f".tm-step.tm-{name}{{background:{style.CHAIN[name].colour};color:{style.INK}}}"
        for name in ("complete", "partial")
    ]
    return "\n".join(rules)


def _mode(ink: str, paper: str, faint: str) -> str:
    return f"--tm-ink:{ink};--tm-paper:{paper};--tm-faint:{faint}"


_LIGHT, _DARK = (
    _mode(style.INK, style.PAPER, style.FAINT),
    _mode(style.INK_DARK, style.PAPER_DARK, style.FAINT_DARK),
)

_PAPER = f"""
.tm{{{_LIGHT}}}
@media (prefers-color-scheme:dark){{.tm{{{_DARK}}}}}
[data-jp-theme-light="true"] .tm,.reveal .tm{{{_LIGHT}}}
[data-jp-theme-light="false"] .tm{{{_DARK}}}
""".strip()
_RULES = f"""
.tm{{background:var(--tm-paper);color:var(--tm-ink);font:16px/1.4 system-ui,sans-serif;padding:10px 14px;
max-width:1000px;box-sizing:border-box;text-align:left;print-color-adjust:exact;
forced-color-adjust:none;overflow-wrap:break-word}}
.reveal .tm{{font-size:22px;max-width:none}}
.tm.tm p{{margin:4px 0;font-size:1em;color:var(--tm-ink)}}
.tm.tm p.tm-title{{font-size:1.15em;font-weight:600}}
.tm.tm .tm-faint,.tm.tm p.tm-faint{{color:var(--tm-faint)}}
.tm.tm table.tm-table{{border-collapse:collapse;width:100%;margin:6px 0;font-size:1em;border:0;
color:var(--tm-ink);table-layout:auto;display:table}}
.tm.tm table.tm-table tr{{background:none}}
.tm.tm table.tm-table th,.tm.tm table.tm-table td{{text-align:left;vertical-align:top;padding:3px 8px 3px 0;
border:0;max-width:none;white-space:normal;font-size:1em;color:var(--tm-ink);line-height:1.4}}
.tm.tm table.tm-table th{{font-weight:600;border-bottom:2px solid var(--tm-ink);vertical-align:bottom}}
.tm.tm table.tm-table tr.tm-more td{{padding-bottom:9px;color:var(--tm-faint)}}
.tm.tm table.tm-table tr.tm-more td bdi{{color:var(--tm-ink)}}
.tm.tm table.tm-table .tm-number{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
.tm.tm table.tm-table .tm-whole{{white-space:nowrap}}
.tm.tm table.tm-table td.tm-barcell{{width:46%;min-width:160px}}
.tm.tm table.tm-table td.tm-brief{{font-size:.9em}}
.tm.tm table.tm-table td.tm-thin{{width:18%;min-width:110px}}
.tm.tm table.tm-table td.tm-outcome{{width:38%}}
.tm-bar{{display:flex;height:24px;width:100%;box-sizing:border-box}}
.tm-bar span{{box-sizing:border-box;border:1px solid var(--tm-ink);flex:none;height:24px;overflow:hidden;
text-align:center;line-height:22px;color:{style.INK};font-weight:600}}
.tm-bar span+span{{border-left-width:0}}
.tm-bar .tm-room{{background:none;border-style:dashed;color:var(--tm-ink)}}
.tm-bar .tm-out{{background:none;border:2px dashed var(--tm-ink);color:var(--tm-ink)}}
.tm-swatch{{display:inline-block;width:22px;height:14px;border:1px solid var(--tm-ink);margin-right:5px;
vertical-align:-1px}}
.tm.tm th.tm-number .tm-swatch{{display:block;margin:0 0 2px auto}}
.tm.tm table.tm-table td.tm-list{{width:31%;padding-bottom:9px}}
.tm.tm table.tm-table td.tm-list p{{margin:1px 0}}
.tm.tm table.tm-table th.tm-list .tm-swatch{{margin-left:2px}}
.tm-trail{{display:flex;flex-wrap:wrap;margin:8px 0;padding:0}}
.tm-step{{border:2px solid var(--tm-ink);padding:3px 10px;margin:0 0 6px}}
.tm-step+.tm-step{{margin-left:18px;position:relative}}
.tm-step+.tm-step:before{{content:"";position:absolute;left:-20px;width:18px;top:50%;
border-top:2px solid var(--tm-ink)}}
.tm-step small{{display:block;font-size:.85em;color:var(--tm-faint)}}
.tm-step.tm-stop{{border-width:4px}}
.tm-step.tm-broken{{border:3px solid {style.VERMILION};border-left:0;padding-left:20px;background:
linear-gradient(135deg,{style.VERMILION} 33%,transparent 34%) 0 0/11px 11px repeat-y,
linear-gradient(45deg,{style.VERMILION} 33%,transparent 34%) 0 0/11px 11px repeat-y}}
.tm-step.tm-broken:before{{border-top-style:dotted}}
.tm-step.tm-partial{{border-style:dashed}}
.tm-step.tm-gap{{border-style:dotted}}
.tm.tm table.tm-table th.tm-half{{width:34%}}
.tm-chip{{display:inline-block;border:2px solid var(--tm-ink);padding:0 7px;white-space:nowrap}}
.tm-chip.tm-fill{{color:{style.INK};background-color:{style.GREY}}}
.tm-plain{{background-color:{style.GREY}}}
.tm-chip.tm-dotted{{border-style:dotted}}
.tm-chip.tm-double{{border-style:double;border-width:4px}}
.tm-untrusted{{background:{style.YELLOW};color:{style.INK};padding:0 5px;font-weight:600}}
.tm-glyph{{width:17px;height:17px;vertical-align:-3px;margin-right:5px}}
.tm.tm pre{{white-space:pre-wrap;word-break:normal;overflow-wrap:break-word;
font:15px/1.45 ui-monospace,monospace;margin:6px 0;
padding:8px 10px;color:var(--tm-ink);background:none;border:1px solid var(--tm-faint)}}
.tm-pair{{display:flex;flex-wrap:wrap}}
.tm-pair>div{{flex:1 1 300px;border:1px solid var(--tm-faint);padding:6px 12px;margin:4px 8px 4px 0;
line-height:1.75}}
.tm-pair del{{text-decoration:line-through;border:2px solid var(--tm-ink);padding:0 3px;background:none;
color:inherit;-webkit-box-decoration-break:clone;box-decoration-break:clone}}
.tm-pair ins{{text-decoration:underline;text-decoration-thickness:3px;background:{style.YELLOW};
color:{style.INK};padding:0 3px}}
.tm svg text{{fill:var(--tm-ink);font-family:system-ui,sans-serif}}
.tm svg .tm-onfill{{fill:{style.INK}}}
.tm svg .tm-edge{{paint-order:stroke;stroke:var(--tm-paper);stroke-width:7px;stroke-linejoin:round}}
.tm svg .tm-node{{stroke:var(--tm-ink);fill:var(--tm-paper);stroke-width:2}}
.tm svg .tm-line{{stroke:var(--tm-ink);fill:none;stroke-width:2}}
.tm-step.tm-complete small,.tm-step.tm-partial small{{color:inherit}}
pre.tm-fixed.tm-fixed.tm-fixed{{white-space:pre;overflow-x:auto;width:0;min-width:100%;box-sizing:border-box}}
.tm-live{{--jp-widgets-font-size:16px;--jp-widgets-inline-height:34px}}
.tm-live.tm-live .widget-readout{{max-width:none;min-width:72px;width:auto;flex:none}}
{_fills()}
""".strip()

CSS = f"{_PAPER}\n{_RULES}"


def needed(html: str) -> str:
    """Return the rules that `html` uses: those of a selector whose every class occurs in it."""
    kept = [
        f"{selectors.strip()}{body}"
        for selectors, body in re.findall(r"([^{}]+)(\{[^{}]*\})", _RULES)
        if any(_occurs(selector, html) for selector in selectors.split(","))
    ]
    return "\n".join([_PAPER, *kept])


def _occurs(selector: str, html: str) -> bool:
    names = re.findall(r"\.(tm-[a-z]+)|\b(svg|pre)\b", selector)
    return all((name or f"<{tag}") in html for name, tag in names)
