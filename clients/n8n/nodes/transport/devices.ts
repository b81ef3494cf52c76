import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { listByOffset } from './pages';

interface Device {
	id: string;
	name: string;
	phone_number: string | null;
	status: string;
}

/** The devices to choose from. Reading them takes a key with `admin:read`. */
export async function getDevices(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const devices = await listByOffset(this, { path: '/devices', member: 'devices' });
	return devices.map((device) => toOption(device as unknown as Device));
}

function toOption({ id, name, phone_number: phoneNumber, status }: Device): INodePropertyOptions {
	const description = [phoneNumber, status].filter(Boolean).join(', ');
	return { name, value: id, description };
}
